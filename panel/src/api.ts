import type { Api } from './api-types.ts'
import { t } from './phrases/phrases.ts'

export type Mode = 'test' | 'production'

/** An answer that is no success, with the server's own sentence. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly reason: string | null
  readonly requestId: string | null

  constructor(
    status: number,
    error: { code: string; message: string; reason?: string },
    requestId: string | null,
  ) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.reason = error.reason ?? null
    this.requestId = requestId
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Query = Record<string, string | number | boolean | undefined>

/** Called when the session is over, with the code that says why. */
let onEnded: (code: string) => void = () => {}
export function whenSessionEnds(handler: (code: string) => void): void {
  onEnded = handler
}

/** What opens a session is told about where it is opened. */
const SIGNS_IN = new Set(['/v1/auth/login', '/panel/api/confirm-email'])
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

async function send(method: Method, path: string, body: unknown): Promise<Response> {
  const file = body instanceof Blob || body instanceof FormData
  return fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      'x-recado-panel': '1',
      ...(SIGNS_IN.has(path) ? { 'x-time-zone': timeZone() } : {}),
      // The browser says what a form is, and where its parts begin.
      ...(body === undefined || body instanceof FormData
        ? {}
        : { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: file ? body : JSON.stringify(body) }),
  })
}

/** Tells whoever listens that the session is over: for lines that learn of it by themselves. */
export const sessionEnded = (code: string): void => onEnded(code)

/** `code`: why the session is over; null: nobody could be asked. */
type Renewal = { renewed: true } | { renewed: false; code: string | null }
let refreshing: Promise<Renewal> | null = null

async function renew(): Promise<Renewal> {
  try {
    // Another tab may have done it meanwhile, and a token that is used twice ends the session.
    if ((await send('GET', '/panel/api/me', undefined)).ok) return { renewed: true }
    const answer = await send('POST', '/v1/auth/refresh', {})
    if (answer.ok) return { renewed: true }
    if (answer.status === 401) return { renewed: false, code: (await readFailure(answer)).code }
  } catch {
    // As below.
  }
  return { renewed: false, code: null }
}

/** Exchanges the session's cookie for a fresh one: once for everybody who found it old, in whichever tab. */
function refresh(): Promise<Renewal> {
  // Browsers have locks where pages come by https, or from this machine.
  const locks = navigator.locks as LockManager | undefined
  refreshing ??= Promise.resolve(locks ? locks.request('recado-refresh', renew) : renew()).finally(
    () => {
      refreshing = null
    },
  )
  return refreshing
}

/** What the server sent, as JSON; an answer that is no JSON where one is due is as good as none. */
function parse(status: number, text: string, requestId: string | null): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ApiError(status, { code: 'MALFORMED', message: t.faults.malformed }, requestId)
  }
}

/** The answer is what the route's schema says that it is: a test of the server's holds it to that. */
async function call<Answer>(
  method: Method,
  path: string,
  { body, onAnswer }: { body?: unknown; onAnswer?: ((answer: Response) => void) | undefined },
): Promise<Answer> {
  let answer: Response
  try {
    answer = await send(method, path, body)
    // Who signs in has no session that could be renewed.
    if (answer.status === 401 && !path.startsWith('/v1/auth/')) {
      let { code } = await readFailure(answer.clone())
      if (code !== 'SESSION_SUPERSEDED') {
        const renewal = await refresh()
        if (renewal.renewed) answer = await send(method, path, body)
        else if (renewal.code === null) throw offline()
        else code = renewal.code
      }
      if (answer.status === 401) onEnded(code)
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    // What `fetch` throws says nothing that a person could use.
    throw offline()
  }
  if (!answer.ok) {
    const requestId = answer.headers.get('x-request-id')
    throw new ApiError(answer.status, await readFailure(answer), requestId)
  }
  onAnswer?.(answer)
  const text = await answer.text()
  const requestId = answer.headers.get('x-request-id')
  return (text === '' ? null : parse(answer.status, text, requestId)) as Answer
}

const offline = () => new ApiError(0, { code: 'OFFLINE', message: t.faults.offline }, null)

type Failure = { code: string; message: string; reason?: string }
/** What a refusal says; of one that did not come from our server, its status. */
async function readFailure(answer: Response): Promise<Failure> {
  const unknown = { code: `HTTP_${answer.status}`, message: t.faults.server(answer.status) }
  try {
    const { error } = JSON.parse(await answer.text()) as { error?: Failure }
    return error ?? unknown
  } catch {
    return unknown
  }
}

type Input<Route extends keyof Api> = {
  params?: string[]
  query?: Api[Route]['query'] & Query
  /** A file is sent as it is, a form with its parts. */
  body?: Api[Route]['body'] | Blob | FormData
  /** Sees a success before it is read: for what its headers say. */
  onAnswer?: (answer: Response) => void
}

/** Where a route lies: `{}` in its path are filled in order. */
export function pathOf(template: string, given: string[] = [], query: Query = {}): string {
  const params = [...given]
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(params.shift() ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `${path}?${search}` : path
}

/**
 * Calls one of the panel's own routes, or signs in or out. Throws ApiError; a session that is over is told to whoever
 * listens.
 */
export function ask<Route extends keyof Api>(
  route: Route,
  input: Input<Route> = {},
): Promise<Api[Route]['answer']> {
  const [method = 'GET', template = ''] = route.split(' ')
  const path = pathOf(template, input.params, input.query)
  return call(method as Method, path, input)
}

/** Calls a route of the API in a mode, as the panel may. Throws as `ask` does. */
export function api<Route extends Extract<keyof Api, `${string} /v1/${string}`>>(
  mode: Mode,
  route: Route,
  input: Input<Route> = {},
): Promise<Api[Route]['answer']> {
  const [method = 'GET', template = ''] = route.split(' ')
  const path = `/panel/api/${mode}${pathOf(template, input.params, input.query)}`
  return call(method as Method, path, input)
}

/** Where the API of a mode listens, as far as the panel can tell from its own address. */
export function apiOrigin(mode: Mode): string {
  const host = mode === 'test' ? `sandbox.${location.host}` : location.host
  return `${location.protocol}//${host}`
}

/** A first text from an instance, as a command to paste. */
export const firstSend = (mode: Mode, instanceId: string, text: string): string =>
  commandOf(mode, 'POST', `/v1/instances/${instanceId}/messages/text`, {
    to: '5511999998888',
    text,
  })

/** A call of the API as a command to paste. */
export function commandOf(mode: Mode, method: Method, path: string, body?: object): string {
  const key = `svc_${mode === 'test' ? 'test' : 'live'}_…`
  const quoted = body && JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${apiOrigin(mode)}${path}`,
    `-H 'Authorization: Bearer ${key}'`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${quoted}'`] : []),
  ].join(' \\\n  ')
}
