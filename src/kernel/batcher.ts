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
 * With `keyOf`, a batch that cannot take all waiting items takes one of each key in turn, so that the items of one key
 * do not hold up those of others. Items of one key keep their order.
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
    keyOf,
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

  /** Removes the items of the next batch from the queue. */
  function take(): Waiting<Item, Result>[] {
    if (queue.length <= maxItems || !keyOf) return queue.splice(0, maxItems)
    // The turn of an item among those of its key; sorting by it is stable.
    const counts = new Map<string, number>()
    const turns = queue.map((entry) => {
      const key = keyOf(entry.item)
      const turn = counts.get(key) ?? 0
      counts.set(key, turn + 1)
      return { entry, turn }
    })
    const chosen = new Set(
      turns
        .toSorted((a, b) => a.turn - b.turn)
        .slice(0, maxItems)
        .map(({ entry }) => entry),
    )
    const batch = queue.filter((entry) => chosen.has(entry))
    queue = queue.filter((entry) => !chosen.has(entry))
    return batch
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
