import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../../kernel/clock.ts'

/** How long requests in progress may continue after shutdown starts. */
const LAST_REQUESTS_MS = 10_000
const LATE_MS = 1000

/**
 * Watches the connections of a server; returns a function to call when it starts to close. It ends every
 * connection without a request in progress, even one that has not sent any, as browsers open in advance: Node.js
 * would wait for those. Requests still in progress after ten seconds are aborted, so that the rest of the server can
 * stop in order.
 */
export function watchConnections(http: Server, clock: Clock): () => void {
  const open = new Set<Socket>()
  /** How many requests of each connection are in progress; a client may send several at once. */
  const working = new Map<Socket, number>()
  let closing = false
  http.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  http.on('request', ({ socket }, response) => {
    working.set(socket, (working.get(socket) ?? 0) + 1)
    response.once('close', () => {
      const left = (working.get(socket) ?? 1) - 1
      if (left > 0) {
        working.set(socket, left)
        return
      }
      working.delete(socket)
      // The client expects to use the connection again.
      if (closing) socket.end()
    })
  })
  // WebSockets are closed with a reason by the module that serves them.
  http.on('upgrade', (_request, socket: Socket) => open.delete(socket))
  const endUnused = () => {
    for (const socket of open) if (!working.has(socket)) socket.destroy()
  }
  return () => {
    closing = true
    endUnused()
    const timers = [
      // A connection may have been accepted just before the listener closed.
      clock.after(LATE_MS, endUnused),
      clock.after(LAST_REQUESTS_MS, () => http.closeAllConnections()),
    ]
    http.once('close', () => {
      for (const timer of timers) timer.cancel()
    })
  }
}
