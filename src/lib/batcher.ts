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
 * `flush` answers one result for each item, in their order; if it throws, every item of the batch fails.
 */
export function createBatcher<Item, Result>(options: {
  flush: (items: Item[]) => Promise<Result[]>
  maxItems: number
  maxInFlight: number
  /** Beside a batch under way another starts only with so many items: small ones cost as much as large ones. */
  besideFrom?: number
  activity: Activity
}): Batcher<Item, Result> {
  const { flush, maxItems, maxInFlight, besideFrom = 1, activity } = options
  let queue: Waiting<Item, Result>[] = []
  let inFlight = 0
  let scheduled = false

  async function carryOut(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await flush(batch.map((entry) => entry.item))
      batch.forEach((entry, index) => entry.resolve(results[index] as Result))
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    } finally {
      inFlight--
      start()
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
