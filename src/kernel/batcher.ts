import type { Activity } from './activity.ts'

type Waiting<Item, Result> = {
  item: Item
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

export type Batcher<Item, Result> = {
  /** Resolves with this item's result once its batch has been carried out. */
  add(item: Item): Promise<Result>
  waiting(): number
}

/**
 * Group commit: what arrives while a batch is under way goes out together in the next one. An idle batcher
 * flushes at the end of the turn, so a lone item waits for nobody.
 * `flush` answers one result for each item, in their order. If it throws, every item of the batch fails; if what it
 * throws is one item's own fault, the items go one by one, and only that one fails.
 */
export function createBatcher<Item, Result>(options: {
  flush: (items: Item[]) => Promise<Result[]>
  maxItems: number
  maxInFlight: number
  /** Beside a batch under way another starts only with so many items: small ones cost as much as large ones. */
  besideFrom?: number
  /** Whether an error lies in an item rather than in what carries the batch out. */
  isOfItem?: (error: unknown) => boolean
  activity: Activity
}): Batcher<Item, Result> {
  const { flush, maxItems, maxInFlight, besideFrom = 1, isOfItem, activity } = options
  let queue: Waiting<Item, Result>[] = []
  let inFlight = 0
  let scheduled = false

  async function carryOut(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await flush(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => entry.resolve(results[index] as Result))
    } catch (error) {
      if (batch.length > 1 && isOfItem?.(error)) await oneByOne(batch)
      else for (const entry of batch) entry.reject(error)
    } finally {
      inFlight--
      start()
    }
  }

  async function oneByOne(batch: Waiting<Item, Result>[]): Promise<void> {
    for (const entry of batch) {
      try {
        const [result] = await flush([entry.item])
        entry.resolve(result as Result)
      } catch (error) {
        entry.reject(error)
      }
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
      void activity.run(() => carryOut(batch))
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
