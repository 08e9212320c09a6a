// HTTP client of the contract tests.
import { request } from 'undici'

/** A parsed response body. */
// oxlint-disable-next-line typescript/no-explicit-any -- tests read responses of many shapes
export type Body = any
/** A response; `body` is the parsed JSON, or null if the response is not JSON. */
export type Answer = { status: number; body: Body; headers: Record<string, string>; text: string }
/** Sends a request to a path and resolves with the response, whatever its status. */
export type Send = (
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<Answer>

/** Calls one host of the server with one token. */
export type Client = {
  get: Send
  post: Send
  put: Send
  patch: Send
  delete: Send
  call(
    method: string,
    path: string,
    options: { body?: string | Buffer; headers?: Record<string, string> },
  ): Promise<Answer>
  /** Fetches a response as bytes, without the OpenAPI check. */
  download(
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Record<string, string>; bytes: Buffer }>
}

/** Creates a client; `check` receives every response, to validate it against the OpenAPI document. */
export function createClient(options: {
  port: number
  host: string
  token: string | null
  check: (method: string, path: string, status: number, body: unknown) => void
}): Client {
  const { port, host, token, check } = options

  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}

  const download: Client['download'] = async (path, headers = {}) => {
    const answer = await request(`http://127.0.0.1:${port}${path}`, {
      headers: { host, ...authorization, ...headers },
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    const { 'content-type': type, 'content-encoding': packed } = answer.headers
    const isJson = !packed && String(type).startsWith('application/json')
    check('GET', path, answer.statusCode, isJson ? JSON.parse(bytes.toString()) : null)
    return { status: answer.statusCode, headers: answer.headers as Record<string, string>, bytes }
  }

  const call: Client['call'] = async (method, path, { body, headers = {} }) => {
    const response = await request(`http://127.0.0.1:${port}${path}`, {
      method: method as 'GET',
      headers: { host, ...authorization, ...headers },
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.body.text()
    const json = text && String(response.headers['content-type']).includes('json')
    const parsed: unknown = json ? JSON.parse(text) : null
    check(method, path, response.statusCode, parsed)
    return {
      status: response.statusCode,
      body: parsed,
      text,
      headers: response.headers as Record<string, string>,
    }
  }

  const send =
    (method: string): Send =>
    (path, body, headers = {}) =>
      call(method, path, {
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
  return {
    call,
    download,
    get: (path, _body, headers) => send('GET')(path, undefined, headers),
    post: send('POST'),
    put: send('PUT'),
    patch: send('PATCH'),
    delete: send('DELETE'),
  }
}
