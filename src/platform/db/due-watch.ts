import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { Db, Fragment } from './sql.ts'

const INTERVAL_MS = 1000

/** Fallback poll interval of a worker that is normally woken by the due watch. */
export const UNWATCHED_POLL_MS = 15_000

/** A condition that always holds, for a worker that already knows that it has work. */
export const always = (db: Db): Fragment => db.sql`true`

/** Wakes workers when they have due work in the database, even if the bus lost the wake-up. */
export type DueWatch = {
  /**
   * Calls `wake` within a second after `condition` holds, and every second while it does. `condition` returns a boolean
   * expression over indexed rows, or null if this node could not do the work now. Returns a function that ends it.
   */
  watch(condition: (now: Date) => Fragment | null, wake: () => void): () => void
  stop(): Promise<void>
}

/** Creates the due watch of a node: one statement a second for all workers, because most nodes are mostly idle. */
export function createDueWatch(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  onError: (error: unknown, task?: string) => void
}): DueWatch {
  const { db, clock, activity, onError } = deps
  const watched = new Set<{ condition: (now: Date) => Fragment | null; wake: () => void }>()

  async function look(): Promise<boolean> {
    const now = new Date(clock.now())
    const asked = [...watched].flatMap(({ condition, wake }) => {
      const expression = condition(now)
      return expression ? [{ expression, wake }] : []
    })
    if (asked.length === 0) return false
    const list = asked
      .map(({ expression }) => expression)
      .reduce((some, expression) => db.sql`${some}, ${expression}`)
    try {
      const [row] = await db.system<{ due: boolean[] }[]>`select array[${list}] as due`
      asked.forEach(({ wake }, place) => row?.due[place] && wake())
    } catch (error) {
      // A failing condition must not hold up the other workers: wake all, and let each poll.
      for (const { wake } of asked) wake()
      throw error
    }
    return false
  }

  const loop = createLoop({
    task: 'looking for due work',
    clock,
    activity,
    everyMs: () => INTERVAL_MS,
    run: look,
    onError,
  })
  return {
    watch(condition, wake) {
      const entry = { condition, wake }
      watched.add(entry)
      return () => void watched.delete(entry)
    },
    stop: loop.stop,
  }
}
