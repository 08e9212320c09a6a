import { request, type Dispatcher } from 'undici'
import type { Body } from './client.ts'

/** Calls the production host of a server that runs in a separate process. `body` is {} unless the response is JSON. */
export async function callServer(
  server: { port: number; token: string; dispatcher?: Dispatcher },
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Body; text: string }> {
  const { port, token, dispatcher } = server
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(dispatcher ? { dispatcher } : {}),
    headers: {
      host: 'localhost',
      'x-token-response': 'body',
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const text = await answer.body.text()
  const isJson = String(answer.headers['content-type']).includes('json')
  return { status: answer.statusCode, body: isJson ? JSON.parse(text) : {}, text }
}
