import type { Clock } from '../../kernel/clock.ts'
import type { Share } from '../../platform/db/shares.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'

const MAX_WAITING = 10_000
/** Maximum items of one Project that wait for its lock: more than it may send in the time that they wait. */
const MAX_WAITING_PER_PROJECT = 2000
/** Longer than a statement may take. */
const WAIT_MS = 10_000

type Entry<Draft, Answer> = {
  draft: Draft
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * Creates the lanes of sends or received messages whose Project is locked by another transaction. They wait together, apart from those of other
 * Projects, whose batch must not wait for a lock that it does not need.
 */
export function createLockedLanes<Draft extends { projectId: string }, Answer>(deps: {
  clock: Clock
  /** How many lanes wait for their lock at once; each holds a connection meanwhile. */
  share: Share
  maxItems: number
  /** Accepts drafts of one Project; waits for its lock. */
  accept: (drafts: Draft[]) => Promise<Answer[]>
  isItemError: (error: unknown) => boolean
}) {
  const { clock, share, maxItems, accept, isItemError } = deps
  const lanes = new Map<string, Entry<Draft, Answer>[]>()
  const gate = createFairSemaphore({
    clock,
    ...share,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })

  async function settle(entries: Entry<Draft, Answer>[]): Promise<void> {
    try {
      const answers = await accept(entries.map(({ draft }) => draft))
      for (const [index, { resolve }] of entries.entries()) resolve(answers[index] as Answer)
    } catch (error) {
      if (entries.length > 1 && isItemError(error)) for (const one of entries) await settle([one])
      else for (const { reject } of entries) reject(error)
    }
  }

  /** Settles the first drafts of a lane, and the rest in later turns: other lanes wait for theirs. */
  async function drain(projectId: string): Promise<void> {
    const lane = lanes.get(projectId) ?? []
    await gate(projectId, () => settle(lane.splice(0, maxItems)))
    if (lane.length > 0) await drain(projectId)
    else lanes.delete(projectId)
  }

  return {
    /** Whether sends of the Project wait in its lane. */
    isOpen: (projectId: string): boolean => lanes.has(projectId),

    /** Resolves with the outcome of a draft. Throws SemaphoreTimeout when too many drafts of its Project wait. */
    add: (draft: Draft): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const { projectId } = draft
        const entry = { draft, resolve, reject }
        const lane = lanes.get(projectId)
        if (lane && lane.length >= MAX_WAITING_PER_PROJECT) {
          return reject(new SemaphoreTimeout(`${lane.length} sends of Project ${projectId} wait`))
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
