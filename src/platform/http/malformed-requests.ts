import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { renderFailure } from './error-envelope.ts'

/** Long enough to read the response: a connection that is destroyed at once can lose it. */
const LINGER_MS = 5000
const SINGLE = new Set(['host', 'authorization', 'content-type', 'idempotency-key'])

/**
 * Throws 400 for a request without `Host`, which selects the mode, and for a repeated header that affects the outcome,
 * since choosing one of its values would be a guess.
 */
export function requireSingleHeaders(request: IncomingMessage): void {
  const seen = new Set<string>()
  const { rawHeaders } = request
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) throw fail('bad_request', (say) => say.http.doubledHeader(name))
    seen.add(name)
  }
  if (!seen.has('host')) throw fail('bad_request', (say) => say.http.malformedRequest)
}

/**
 * Responds to data that is not a valid HTTP request with the error envelope, and closes the connection: at the latest
 * after five seconds, because a client may keep its side of it open.
 */
export function respondToMalformed(
  clock: Clock,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, phrase, failure } = classify(error.code)
  const body = JSON.stringify(renderFailure(failure).body)
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/json\r\nConnection: close\r\n` +
      `X-Request-Id: ${newId('req', clock.now())}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  const timer = clock.after(LINGER_MS, () => socket.destroy())
  socket.once('close', () => timer.cancel())
}

function classify(code: string | undefined) {
  if (code === 'HPE_HEADER_OVERFLOW') {
    const failure = fail('bad_request', (say) => say.http.headersTooLarge)
    return { status: 431, phrase: 'Request Header Fields Too Large', failure }
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const failure = fail('bad_request', (say) => say.http.timeout)
    return { status: 408, phrase: 'Request Timeout', failure }
  }
  const failure = fail('bad_request', (say) => say.http.malformedRequest)
  return { status: 400, phrase: 'Bad Request', failure }
}
