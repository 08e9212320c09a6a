import type { Clock } from '../../kernel/clock.ts'

/** Frames of one event, for clients of one scope. */
type Batch<Client> = { clients: Client[]; next: number; send: (client: Client) => void }
type Queue<Client> = { batches: Batch<Client>[]; frames: number }

/** Frames of a scope sent before another scope has its turn. */
const FRAMES_PER_SCOPE = 64
/** Frames per millisecond of a long turn: about a tenth of the time, at 10 µs each. */
const FRAMES_PER_MS = 10

/**
 * Sends frames to clients, at most `perTurn` in one turn of the event loop, or more in a long one. Beyond that, scopes take
 * turns, so that an event for thousands of clients of one company delays neither the clients of others nor requests.
 * Clients of a scope receive its events in order.
 */
export type FrameTurns<Client> = {
  /** Calls `send` for each client, now or in a later turn. Returns false, sending nothing, if too many frames wait. */
  add(scope: string, clients: Client[], send: (client: Client) => void): boolean
}

/** Creates the turns; at most `maxWaiting` frames of a scope wait. */
export function createFrameTurns<Client>(options: {
  clock: Pick<Clock, 'monotonic'>
  perTurn: number
  maxWaiting: number
}): FrameTurns<Client> {
  const { clock, perTurn, maxWaiting } = options
  /** The scopes with waiting frames, the next one first. */
  const queues = new Map<string, Queue<Client>>()
  let left = perTurn
  let isTurnCounted = false
  let turnedAt = clock.monotonic()

  function sendSome(queue: Queue<Client>): void {
    for (let rest = Math.min(left, FRAMES_PER_SCOPE); rest > 0;) {
      const [batch] = queue.batches
      if (!batch) return
      const end = Math.min(batch.next + rest, batch.clients.length)
      for (const client of batch.clients.slice(batch.next, end)) batch.send(client)
      const count = end - batch.next
      rest -= count
      left -= count
      queue.frames -= count
      batch.next = end
      if (end === batch.clients.length) queue.batches.shift()
    }
  }

  function pump(): void {
    if (!isTurnCounted) {
      isTurnCounted = true
      turnedAt = clock.monotonic()
      setImmediate(() => {
        isTurnCounted = false
        // When other work makes turns long, more frames fit into the same share of the time.
        const passedMs = clock.monotonic() - turnedAt
        left = Math.max(perTurn, Math.floor(passedMs * FRAMES_PER_MS))
        if (queues.size > 0) pump()
      })
    }
    while (left > 0) {
      const [first] = queues
      if (!first) return
      const [scope, queue] = first
      sendSome(queue)
      queues.delete(scope)
      if (queue.batches.length > 0) queues.set(scope, queue)
    }
  }

  return {
    add(scope, clients, send) {
      if (clients.length === 0) return true
      const queue = queues.get(scope) ?? { batches: [], frames: 0 }
      if (queue.frames > 0 && queue.frames + clients.length > maxWaiting) return false
      queue.batches.push({ clients, next: 0, send })
      queue.frames += clients.length
      queues.set(scope, queue)
      pump()
      return true
    },
  }
}
