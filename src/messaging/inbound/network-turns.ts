import type { Clock } from '../../kernel/clock.ts'
import { createFairSemaphore, type FairSemaphore } from '../../kernel/fair-semaphore.ts'
import type { Database } from '../../platform/db/database.ts'
import { sharesOf } from '../../platform/db/shares.ts'

const MAX_WAITING = 50_000
/** Then the session that reports it fails, and its network reports it again. */
const WAIT_MS = 60_000

/**
 * Creates the turns, by Project, of transactions that record what networks report: events, history and numbers. Each
 * waits for the lock of its Project, and those of a company with many instances, which report the same change of a
 * group, would hold every connection meanwhile.
 */
export const createNetworkTurns = (db: Pick<Database, 'poolSize'>, clock: Clock): FairSemaphore =>
  createFairSemaphore({
    clock,
    ...sharesOf(db.poolSize).reported,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
