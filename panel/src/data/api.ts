import type { Api } from './api-types.ts'
import { language, t } from '../phrases/phrases.ts'

/** The mode a call runs in: `test` uses the simulated network, `production` the real one. */
export type Mode = 'test' | 'production'

/** A failed call, with the server's own message, code and request id. `status` is 0 (`OFFLINE`) without a response. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly reason: string | null
  /** Path of the field that the error is about, such as `recipients[3].to`. */
  readonly field: string | null
  readonly requestId: string | null

  constructor(
    status: number,
    error: { code: string; message: string; reason?: string; field?: string },
    requestId: string | null,
  ) {
    super(error.message)
    this.status = status
    this.code = error.code
    this.reason = error.reason ?? null
    this.field = error.field ?? null
    this.requestId = requestId
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Query = Record<string, string | number | boolean | undefined>

/** Called when the session ends, with the code that says why. */
let sessionEndHandler: (code: string) => void = () => {}
/** Sets the handler that runs when the session ends; it receives the reason's error code. */
export function setSessionEndHandler(handler: (code: string) => void): void {
  sessionEndHandler = handler
}

/** Routes that open a session: they also receive the browser's time zone. */
const SESSION_OPENING_ROUTES = new Set(['/v1/auth/login', '/panel/api/confirm-email'])
const timeZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

const ME = '/panel/api/me'
declare global {
  /** The answer to a request for the user, sent by `early.js` while the scripts load. */
  var earlyMe: Promise<Response> | undefined
}
/** The early answer, for the first request of the user. */
function takeEarlyMe(): Promise<Response> | undefined {
  const early = globalThis.earlyMe
  globalThis.earlyMe = undefined
  return early
}

type Headers = Record<string, string>

async function send(
  method: Method,
  path: string,
  body: unknown,
  headers: Headers = {},
): Promise<Response> {
  const early = method === 'GET' && path === ME ? takeEarlyMe() : undefined
  if (early) return early
  const file = body instanceof Blob || body instanceof FormData
  return fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      'x-recado-panel': '1',
      'accept-language': language,
      ...(SESSION_OPENING_ROUTES.has(path) ? { 'x-time-zone': timeZone() } : {}),
      // For FormData the browser sets the content type itself, with the multipart boundary.
      ...(body === undefined || body instanceof FormData
        ? {}
        : { 'content-type': body instanceof Blob ? body.type : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: file ? body : JSON.stringify(body) }),
  })
}

/** Reports a session end that was noticed outside of `ask` and `api`, such as by the live stream. */
export const reportSessionEnd = (code: string): void => sessionEndHandler(code)

/** `code` says why the session ended; null if the server could not be reached or failed. */
type Renewal = { renewed: true } | { renewed: false; code: string | null }
let refreshing: Promise<Renewal> | null = null
/** Holds the secret of a renewal until its response arrives, so that a page opened later can repeat the request. */
const RENEWAL_KEY = 'recado.renovacao'

async function renew(): Promise<Renewal> {
  try {
    // Another tab may have renewed the session already, and reusing a refresh token ends it.
    if ((await send('GET', ME, undefined)).ok) return { renewed: true }
    const renewal =
      localStorage.getItem(RENEWAL_KEY) ?? crypto.getRandomValues(new Uint32Array(4)).join('-')
    localStorage.setItem(RENEWAL_KEY, renewal)
    const answer = await send('POST', '/v1/auth/refresh', {}, { 'x-recado-renewal': renewal })
    if (answer.ok || answer.status === 401) localStorage.removeItem(RENEWAL_KEY)
    if (answer.ok) return { renewed: true }
    if (answer.status === 401) return { renewed: false, code: (await readFailure(answer)).code }
  } catch {
    // A network failure is reported as `code: null`.
  }
  return { renewed: false, code: null }
}

/** Renews the session cookie once for all concurrent callers, across tabs. */
function refresh(): Promise<Renewal> {
  // The Web Locks API exists only in secure contexts (HTTPS or localhost).
  const locks = navigator.locks as LockManager | undefined
  refreshing ??= Promise.resolve(locks ? locks.request('recado-refresh', renew) : renew()).finally(
    () => {
      refreshing = null
    },
  )
  return refreshing
}

/** Parses a response body as JSON. Throws ApiError `MALFORMED` if it is not JSON. */
function parse(status: number, text: string, requestId: string | null): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new ApiError(status, { code: 'MALFORMED', message: t.faults.malformed }, requestId)
  }
}

/**
 * Sends a request, renewing the session once on a 401. The body is not validated at run time: a server test checks
 * responses against the route's schema.
 */
async function call<Answer>(
  method: Method,
  path: string,
  input: {
    body?: unknown
    key?: string
    onResponse?: ((answer: Response) => void) | undefined
  },
): Promise<Answer> {
  const { body, key, onResponse } = input
  const headers: Headers = key === undefined ? {} : { 'idempotency-key': key }
  let answer: Response
  try {
    answer = await send(method, path, body, headers)
    // Auth routes have no session to renew.
    if (answer.status === 401 && !path.startsWith('/v1/auth/')) {
      let { code } = await readFailure(answer.clone())
      if (code !== 'SESSION_SUPERSEDED') {
        const renewal = await refresh()
        if (renewal.renewed) answer = await send(method, path, body, headers)
        else if (renewal.code === null) throw offline()
        else code = renewal.code
      }
      if (answer.status === 401) sessionEndHandler(code)
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    // `fetch` errors carry no message worth showing to a user.
    throw offline()
  }
  if (!answer.ok) {
    const requestId = answer.headers.get('x-request-id')
    throw new ApiError(answer.status, await readFailure(answer), requestId)
  }
  onResponse?.(answer)
  const text = await answer.text()
  const requestId = answer.headers.get('x-request-id')
  return (text === '' ? null : parse(answer.status, text, requestId)) as Answer
}

const offline = () => new ApiError(0, { code: 'OFFLINE', message: t.faults.offline }, null)

/** The `error` object of a failed response. */
type Failure = { code: string; message: string; reason?: string }
/** Reads the error of a failed response; falls back to `HTTP_<status>` if the response did not come from our server. */
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
  /** The Idempotency-Key, so that a repetition of the call does nothing twice. */
  key?: string
  /** A Blob is sent as is, a FormData as multipart. */
  body?: Api[Route]['body'] | Blob | FormData
  /** Called with a successful response before its body is read, to access its headers. */
  onResponse?: (answer: Response) => void
}

/**
 * Fills the `{}` placeholders of a path template in order and appends the query; undefined and empty values are
 * omitted.
 */
export function buildPath(template: string, given: string[] = [], query: Query = {}): string {
  const params = [...given]
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(params.shift() ?? ''))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(name, String(value))
  }
  return search.size > 0 ? `${path}?${search}` : path
}

/**
 * Calls one of the panel's own routes, or signs in or out. Throws ApiError; if the session has ended, the handler of
 * `setSessionEndHandler` runs, too.
 */
export function callPanel<Route extends keyof Api>(
  route: Route,
  input: Input<Route> = {},
): Promise<Api[Route]['answer']> {
  const [method = 'GET', template = ''] = route.split(' ')
  const path = buildPath(template, input.params, input.query)
  return call(method as Method, path, input)
}

/** Calls a route of the public API in a mode, with the panel's session. Throws as `ask` does. */
export function callApi<Route extends Extract<keyof Api, `${string} /v1/${string}`>>(
  mode: Mode,
  route: Route,
  input: Input<Route> = {},
): Promise<Api[Route]['answer']> {
  const [method = 'GET', template = ''] = route.split(' ')
  const path = `/panel/api/${mode}${buildPath(template, input.params, input.query)}`
  return call(method as Method, path, input)
}

/** The origin of the API for a mode, derived from the panel's own address. */
export function apiOrigin(mode: Mode): string {
  const host = mode === 'test' ? `sandbox.${location.host}` : location.host
  return `${location.protocol}//${host}`
}

/** The call that sends a first text message from an instance, for examples. */
export const firstSend = (instanceId: string, text: string) => ({
  path: `/v1/instances/${instanceId}/messages/text`,
  body: { to: '5511999998888', text },
})

/** That call as a curl command. */
export function firstSendCommand(mode: Mode, instanceId: string, text: string): string {
  const { path, body } = firstSend(instanceId, text)
  return curlCommand(mode, 'POST', path, body)
}

/** An API call as a curl command with a placeholder for the key. */
export function curlCommand(mode: Mode, method: Method, path: string, body?: object): string {
  const key = `svc_${mode === 'test' ? 'test' : 'live'}_…`
  const quoted = body && JSON.stringify(body).replaceAll("'", String.raw`'\''`)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${apiOrigin(mode)}${path}`,
    `-H 'Authorization: Bearer ${key}'`,
    ...(body ? [`-H 'Content-Type: application/json'`, `-d '${quoted}'`] : []),
  ].join(' \\\n  ')
}
