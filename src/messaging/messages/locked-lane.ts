import type { Clock } from '../../kernel/clock.ts'
import type { Share } from '../../platform/db/shares.ts'
import {
  createFairSemaphore,
  SemaphoreTimeout,
  type FairSemaphore,
} from '../../kernel/fair-semaphore.ts'

const MAX_WAITING = 10_000
/** Maximum items of one Project that wait for its lock: more than a Project can send within `WAIT_MS`. */
const MAX_WAITING_PER_PROJECT = 2000
/** Longer than the statement timeout. */
const WAIT_MS = 10_000

type Entry<Draft, Result> = {
  draft: Draft
  resolve: (answer: Result) => void
  reject: (error: unknown) => void
}

/**
 * Creates the turns of lanes that wait for their lock: those of a share together hold at most its connections.
 */
export const createLockTurns = (clock: Clock, share: Share): FairSemaphore =>
  createFairSemaphore({ clock, ...share, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })

/**
 * Creates one lane per Project that another transaction has locked, for its sends, received messages or receipts.
 * They wait apart from those of other Projects, whose batch must not wait for a lock that it does not need.
 */
export function createLockedLanes<Draft extends { projectId: string }, Result>(deps: {
  /** The turns of lanes to wait for their lock; each of them holds a connection. */
  turns: FairSemaphore
  maxItems: number
  /** Accepts drafts of one Project; waits for its lock. */
  accept: (drafts: Draft[]) => Promise<Result[]>
  isItemError: (error: unknown) => boolean
}) {
  const { turns, maxItems, accept, isItemError } = deps
  const lanes = new Map<string, Entry<Draft, Result>[]>()

  async function acceptEntries(entries: Entry<Draft, Result>[]): Promise<void> {
    try {
      const answers = await accept(entries.map(({ draft }) => draft))
      for (const [index, { resolve }] of entries.entries()) resolve(answers[index] as Result)
    } catch (error) {
      if (entries.length > 1 && isItemError(error))
        for (const one of entries) await acceptEntries([one])
      else for (const { reject } of entries) reject(error)
    }
  }

  /** Accepts the first `maxItems` drafts of a lane and queues the rest again, so that lanes take turns. */
  async function drain(projectId: string): Promise<void> {
    const lane = lanes.get(projectId) ?? []
    await turns(projectId, () => acceptEntries(lane.splice(0, maxItems)))
    if (lane.length > 0) await drain(projectId)
    else lanes.delete(projectId)
  }

  return {
    /** Whether items of the Project are waiting in its lane. */
    isOpen: (projectId: string): boolean => lanes.has(projectId),

    /** Resolves with the outcome of a draft. Throws SemaphoreTimeout when too many drafts of its Project wait. */
    add: (draft: Draft): Promise<Result> =>
      new Promise((resolve, reject) => {
        const { projectId } = draft
        const entry = { draft, resolve, reject }
        const lane = lanes.get(projectId)
        if (lane && lane.length >= MAX_WAITING_PER_PROJECT) {
          return reject(
            new SemaphoreTimeout(
              `cannot queue for the lock of Project ${projectId}: ${lane.length} wait`,
            ),
          )
        }
        if (lane) return void lane.push(entry)
        lanes.set(projectId, [entry])
        drain(projectId).catch((error: unknown) => {
          const waiting = lanes.get(projectId) ?? []
          lanes.delete(projectId)
          for (const one of waiting) one.reject(error)
        })
      }),
  }
}
