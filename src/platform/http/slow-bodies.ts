import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { respondToMalformed } from './malformed-requests.ts'

const MINUTE_MS = 60_000
/** What each minute of a body must bring, in bytes: a line of 0.6 Mbit/s. */
const MIN_BYTES_PER_MINUTE = 4 * 1024 * 1024
/** More than the largest file takes at that rate. */
export const LONGEST_REQUEST_MS = 30 * MINUTE_MS

type Done = (error?: Error) => void

/**
 * Ends a request whose body is still arriving after a minute, unless that minute brought 4 MiB, and so on for each
 * minute: a large file may come over a slow line, and a client that sends a byte now and then holds no connection and no
 * turn of an upload for long.
 */
export function endSlowBodies(
  server: {
    addHook(
      name: 'preParsing',
      hook: (request: FastifyRequest, reply: FastifyReply, body: Readable, done: Done) => void,
    ): unknown
    addHook(
      name: 'preValidation' | 'onResponse',
      hook: (request: FastifyRequest, reply: FastifyReply, done: Done) => void,
    ): unknown
  },
  clock: Clock,
): void {
  const late = new WeakSet<FastifyRequest['raw']>()
  const watch = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
    if (raw.complete || raw.destroyed) return
    const { socket } = raw
    let before = socket.bytesRead
    const check = () => {
      if (raw.complete || raw.destroyed) return
      // What has arrived waits to be read: the server is slow, not the client.
      if (raw.readableLength === 0 && socket.bytesRead - before < MIN_BYTES_PER_MINUTE) {
        if (reply.raw.headersSent) {
          socket.destroy()
          return
        }
        // The rest of the body may arrive until the connection is closed, and must not be carried out any more.
        late.add(raw)
        raw.pause()
        socket.pause()
        const timeout = Object.assign(new Error('slow body'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
        respondToMalformed(clock, timeout, socket)
        return
      }
      before = socket.bytesRead
      timer = clock.after(MINUTE_MS, check)
    }
    let timer = clock.after(MINUTE_MS, check)
    raw.once('close', () => timer.cancel())
  }
  // Callbacks instead of promises, because every request passes here.
  server.addHook('preParsing', (request, reply, _, done) => {
    watch(request, reply)
    done()
  })
  server.addHook('preValidation', ({ raw }, _, done) =>
    done(late.has(raw) ? fail('bad_request', (say) => say.http.timeout) : undefined),
  )
  // After an early response, the rest of the body may still be arriving.
  server.addHook('onResponse', (request, reply, done) => {
    watch(request, reply)
    done()
  })
}
