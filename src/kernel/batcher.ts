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
 */
export function createBatcher<Item, Result>(options: {
  flush: (items: Item[]) => Promise<Result[]>
  maxItems: number
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
    maxInFlight,
    minConcurrentItems: besideFrom = 1,
    isItemError,
    activity,
  } = options
  let queue: Waiting<Item, Result>[] = []
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
    queue.length > 0 && (inFlight === 0 || (inFlight < maxInFlight && queue.length >= besideFrom))

  function start(): void {
    scheduled = false
    while (mayStart()) {
      const batch = queue.slice(0, maxItems)
      queue = queue.slice(batch.length)
      inFlight++
      void activity.run(() => runBatch(batch))
    }
  }

  return {
    add(item) {
      return activity.run(
        () =>
          new Promise<Result>((resolve, reject) => {
            queue.push({ item, resolve, reject })
            if (!scheduled && mayStart()) {
              scheduled = true
              setImmediate(start)
            }
          }),
      )
    },
    waiting: () => queue.length,
  }
}
