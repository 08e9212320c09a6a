/** Frames of one event, for clients of one scope. */
type Batch<Client> = { clients: Client[]; next: number; send: (client: Client) => void }
type Queue<Client> = { batches: Batch<Client>[]; frames: number }

/** Frames of a scope sent before another scope has its turn. */
const FRAMES_PER_SCOPE = 64

/**
 * Sends frames to clients, at most `perTurn` in one turn of the event loop. Scopes take turns beyond that, so that an event
 * for thousands of clients of one company delays neither the clients of others nor requests. Clients of a scope
 * receive its events in order.
 */
export type FrameTurns<Client> = {
  /** Calls `send` for each client, now or in a later turn. Returns false, sending nothing, if too many frames wait. */
  add(scope: string, clients: Client[], send: (client: Client) => void): boolean
}

/** Creates the turns; at most `maxWaiting` frames of a scope wait. */
export function createFrameTurns<Client>(options: {
  perTurn: number
  maxWaiting: number
}): FrameTurns<Client> {
  const { perTurn, maxWaiting } = options
  /** The scopes with waiting frames, the next one first. */
  const queues = new Map<string, Queue<Client>>()
  let left = perTurn
  let isTurnCounted = false

  function sendSome(queue: Queue<Client>): void {
    const [batch] = queue.batches
    if (!batch) return
    const end = Math.min(batch.next + Math.min(left, FRAMES_PER_SCOPE), batch.clients.length)
    for (const client of batch.clients.slice(batch.next, end)) batch.send(client)
    left -= end - batch.next
    queue.frames -= end - batch.next
    batch.next = end
    if (end === batch.clients.length) queue.batches.shift()
  }

  function pump(): void {
    if (!isTurnCounted) {
      isTurnCounted = true
      setImmediate(() => {
        isTurnCounted = false
        left = perTurn
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
