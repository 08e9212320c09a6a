import { delay, type Clock } from '../../kernel/clock.ts'
import type {
  InboundMessage,
  NetworkListener,
  Receipt,
  ReportedNetworkEvent,
} from '../network-events.port.ts'

const RETRY_MS = 1000
/** Events that are delivered together: few of those that may be whole groups, because one transaction stores them. */
const MAX_BATCH_SIZE = { messages: 200, receipts: 200, happenings: 50 }

type QueuedEvents =
  | { kind: 'messages'; items: InboundMessage[] }
  | { kind: 'receipts'; items: Receipt[] }
  | { kind: 'happenings'; items: ReportedNetworkEvent[] }

/** The first entries that have no more events than may be delivered together; at least one. */
function takeBatch<Entry extends { news: QueuedEvents }>(
  entries: Entry[],
  kind: QueuedEvents['kind'],
): Entry[] {
  let left = MAX_BATCH_SIZE[kind]
  const most = entries.findIndex(({ news }, index) => (left -= news.items.length) < 0 && index > 0)
  return most < 0 ? entries : entries.slice(0, most)
}

/** The event queue of one connection; see `createEventQueue`. */
export type EventQueue = {
  /** Queues events. Resolves when they are committed; never, if the queue is closed before. */
  push(news: QueuedEvents): Promise<void>
  close(): void
}

/**
 * Creates a queue that delivers events to the listener in order and retries until they are committed. Consecutive
 * queued events of one kind are delivered as one batch.
 */
export function createEventQueue(deps: {
  clock: Clock
  listener: NetworkListener
  onError: (error: unknown, task?: string) => void
}): EventQueue {
  const { clock, listener, onError } = deps
  const waiting: { news: QueuedEvents; done: () => void }[] = []
  const ending = Promise.withResolvers<void>()
  let closed = false
  let running = false

  async function deliver(all: QueuedEvents[]): Promise<void> {
    const [first] = all
    if (first?.kind === 'messages') {
      await listener.onMessages(all.flatMap((news) => (news.kind === 'messages' ? news.items : [])))
    } else if (first?.kind === 'receipts') {
      await listener.onReceipts(all.flatMap((news) => (news.kind === 'receipts' ? news.items : [])))
    } else {
      await listener.onEvents(all.flatMap((news) => (news.kind === 'happenings' ? news.items : [])))
    }
  }

  async function run(): Promise<void> {
    running = true
    for (;;) {
      const kind = waiting[0]?.news.kind
      if (closed || !kind) break
      const end = waiting.findIndex(({ news }) => news.kind !== kind)
      const batch = takeBatch(waiting.slice(0, end < 0 ? waiting.length : end), kind)
      try {
        await deliver(batch.map(({ news }) => news))
        waiting.splice(0, batch.length)
        for (const { done } of batch) done()
      } catch (error) {
        onError(error, `delivering ${batch.length} events of kind ${kind}`)
        await Promise.race([delay(clock, RETRY_MS), ending.promise])
      }
    }
    running = false
  }

  return {
    push(news) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ news, done: resolve })
      if (!running && !closed) void run()
      return promise
    },
    close() {
      closed = true
      ending.resolve()
    },
  }
}
