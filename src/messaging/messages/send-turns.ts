import type { Clock } from '../../kernel/clock.ts'
import { createFairSemaphore, type FairSemaphore } from '../../kernel/fair-semaphore.ts'
import { createRecentKeys } from '../../kernel/recent-keys.ts'

/**
 * Maximum sends in batches, or waiting for one, at once. As many as clients have connections would fill every turn of the
 * event loop, so the Projects that are sending share these.
 */
const MAX_SENDS = 80
/** What one Project has of them at most: what it sends while others begin must leave them some. */
const MAX_SENDS_PER_PROJECT = 64
/** What a Project has of them in any case. */
const MIN_SENDS_PER_PROJECT = 4
/** A Project is sending if its last send is not older than this. */
const SENDING_MS = 1000

/** Creates the turns, by Project, of sends that a batch accepts. */
export function createSendTurns(
  clock: Clock,
  limits: { maxWaiting: number; timeoutMs: number },
): FairSemaphore {
  const sending = createRecentKeys(clock, SENDING_MS)
  const takeTurn = createFairSemaphore({
    clock,
    max: MAX_SENDS,
    maxPerKey() {
      const equal = Math.floor(MAX_SENDS / sending.count())
      return Math.min(MAX_SENDS_PER_PROJECT, Math.max(MIN_SENDS_PER_PROJECT, equal))
    },
    ...limits,
  })
  return (projectId, work) => {
    sending.add(projectId)
    return takeTurn(projectId, work)
  }
}
