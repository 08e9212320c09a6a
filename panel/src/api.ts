import type { Api } from './api-types.ts'

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

async function send(method: Method, path: string, body: unknown): Promise<Response> {
  // The only files that the panel sends as they are: lists of recipients.
  const file = body instanceof Blob
  return fetch(path, {
    method,
    credentials: 'same-origin',
    headers: {
      'x-recado-panel': '1',
      ...(body === undefined ? {} : { 'content-type': file ? 'text/csv' : 'application/json' }),
    },
    ...(body === undefined ? {} : { body: file ? body : JSON.stringify(body) }),
  })
}

let refreshing: Promise<boolean> | null = null
/** Exchanges the session's cookie for a fresh one, once for everybody who found it old. */
function refresh(): Promise<boolean> {
  refreshing ??= send('POST', '/v1/auth/refresh', {})
    .then((answer) => answer.ok)
    .catch(() => false)
    .finally(() => {
      refreshing = null
    })
  return refreshing
}

async function read(answer: Response): Promise<unknown> {
  const text = await answer.text()
  const json = answer.headers.get('content-type')?.includes('json') ?? false
  return text !== '' && json ? (JSON.parse(text) as unknown) : null
}

/** Calls one of the panel's own routes. Throws ApiError; a session that is over is told to whoever listens. */
export async function call<Answer>(method: Method, path: string, body?: unknown): Promise<Answer> {
  let answer = await send(method, path, body)
  const signsIn = path.startsWith('/v1/auth/')
  if (answer.status === 401 && !signsIn) {
    const { error } = (await answer.clone().json()) as { error: { code: string } }
    const again = error.code !== 'SESSION_SUPERSEDED' && (await refresh())
    if (again) answer = await send(method, path, body)
    if (answer.status === 401) onEnded(error.code)
  }
  const parsed = await read(answer)
  if (answer.ok) return parsed as Answer
  const unknown = { code: `HTTP_${answer.status}`, message: answer.statusText }
  const { error = unknown } = (parsed ?? {}) as { error?: { code: string; message: string } }
  throw new ApiError(answer.status, error, answer.headers.get('x-request-id'))
}

/** Calls a route of the API in a mode, with the types of the reference. `{}` in its path are filled in order. */
export function api<Route extends keyof Api>(
  mode: Mode,
  route: Route,
  input: { params?: string[]; query?: Api[Route]['query'] & Query; body?: Api[Route]['body'] } = {},
): Promise<Api[Route]['answer']> {
  const [method = 'GET', template = ''] = route.split(' ')
  const params = [...(input.params ?? [])]
  const path = template.replace(/\{\w+\}/g, () => encodeURIComponent(params.shift() ?? ''))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const search = query.size > 0 ? `?${query}` : ''
  return call(method as Method, `/panel/api/${mode}${path}${search}`, input.body)
}
