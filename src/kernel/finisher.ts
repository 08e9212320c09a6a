import type { PendingWork } from './pending-work.ts'

/** Finishes work that a transaction began, in steps; see `createFinisher`. */
export type Finisher<Context> = {
  /** Runs `sweep` in the background, unless it is running already. */
  start(context: Context): void
  /** Finishes what is left, also after a crash. */
  sweep(context: Context): Promise<void>
}

/**
 * Creates a worker that does in small steps what would hold locks for too long in one transaction. `find` returns an item
 * with work left, none of the `failed` ones; `step` does a part of it, and returns how much. An item that fails, or of which
 * nothing could be done, waits for the next sweep, and the others continue.
 */
export function createFinisher<Item, Context>(deps: {
  activity: PendingWork
  idOf: (item: Item) => string
  find: (context: Context, failed: readonly string[]) => Promise<Item | null>
  step: (context: Context, item: Item) => Promise<number>
  onError: (error: unknown, task?: string) => void
}): Finisher<Context> {
  const { activity, idOf, find, step, onError } = deps
  let isRunning = false

  async function sweep(context: Context): Promise<void> {
    const failed: string[] = []
    for (;;) {
      const item = await find(context, failed)
      if (item === null) return
      try {
        if ((await step(context, item)) === 0) failed.push(idOf(item))
      } catch (error) {
        failed.push(idOf(item))
        onError(error, `finishing ${idOf(item)}`)
      }
    }
  }

  return {
    start(context) {
      if (isRunning) return
      isRunning = true
      void activity
        .run(() => sweep(context))
        .catch((error: unknown) => onError(error, 'looking for what is unfinished'))
        .finally(() => (isRunning = false))
    },
    sweep,
  }
}
