import type { PendingWork } from './pending-work.ts'

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** Collects items into batches; see `createBatcher`. */
export type Batcher<Item, Result> = {
  /** Resolves with this item's result once its batch has been processed. */
  add(item: Item): Promise<Result>
  /** The number of items that are not in a batch yet. */
  waiting(): number
}

/**
 * Group commit: items that arrive while a batch is in progress go into the next one. An idle batcher flushes at the end
 * of the current turn, so a lone item is not delayed.
 * `flush` must return one result per item, in the same order. If it throws, every item of the batch fails, unless
 * `isItemError` attributes the error to a single item: then the batch is split in halves until only the offending items
 * fail.
 *
 * With `keyOf`, a batch takes one item of each key in turn, so that those of one key do not hold up others. Items of one
 * key keep their order; across keys there is none.
 */
export function createBatcher<Item, Result>(options: {
  flush: (items: Item[]) => Promise<Result[]>
  maxItems: number
  keyOf?: (item: Item) => string
  /** Maximum number of batches in progress. */
  maxInFlight: number
  /**
   * Minimum number of waiting items to start a batch while another one is in progress: a small batch costs as much as a
   * large one. 1 by default.
   */
  minConcurrentItems?: number
  /** Whether an error may have been caused by a single item rather than by the operation as a whole. */
  isItemError?: (error: unknown) => boolean
  activity: PendingWork
}): Batcher<Item, Result> {
  const {
    flush,
    maxItems,
    keyOf = () => '',
    maxInFlight,
    minConcurrentItems: besideFrom = 1,
    isItemError,
    activity,
  } = options
  /** The waiting items of each key, oldest first. */
  const queues = new Map<string, Waiting<Item, Result>[]>()
  let waiting = 0
  let inFlight = 0
  let scheduled = false

  async function runBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    await settle(batch)
    inFlight--
    start()
  }

  /** Processes items and settles each; never throws. */
  async function settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await flush(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => entry.resolve(results[index] as Result))
    } catch (error) {
      if (batch.length > 1 && isItemError?.(error)) {
        const middle = batch.length >> 1
        await settle(batch.slice(0, middle))
        await settle(batch.slice(middle))
      } else for (const entry of batch) entry.reject(error)
    }
  }

  const mayStart = () =>
    waiting > 0 && (inFlight === 0 || (inFlight < maxInFlight && waiting >= besideFrom))

  /** Removes the items of the next batch from the queues: one of each key in turn. */
  function take(): Waiting<Item, Result>[] {
    const shares = new Map<string, number>()
    let left = Math.min(maxItems, waiting)
    waiting -= left
    while (left > 0) {
      for (const [key, { length }] of queues) {
        const share = shares.get(key) ?? 0
        if (left === 0 || share === length) continue
        shares.set(key, share + 1)
        left--
      }
    }
    return [...shares].flatMap(([key, share]) => {
      const queue = queues.get(key) ?? []
      const taken = queue.splice(0, share)
      queues.delete(key)
      // Behind the others, whose turn comes first in the next batch.
      if (queue.length > 0) queues.set(key, queue)
      return taken
    })
  }

  function start(): void {
    scheduled = false
    while (mayStart()) {
      const batch = take()
      inFlight++
      void activity.run(() => runBatch(batch))
    }
  }

  return {
    add(item) {
      return activity.run(
        () =>
          new Promise<Result>((resolve, reject) => {
            const key = keyOf(item)
            const queue = queues.get(key) ?? []
            queue.push({ item, resolve, reject })
            queues.set(key, queue)
            waiting++
            if (!scheduled && mayStart()) {
              scheduled = true
              setImmediate(start)
            }
          }),
      )
    },
    waiting: () => waiting,
  }
}
