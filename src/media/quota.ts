import type { Clock } from '../kernel/clock.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { MediaProblem } from './media-problem.ts'
import { sumOutgoing } from './media.sql.ts'

/** How long the total of a scope is cached; files stored by this node in the meantime are added to it. */
const SUM_TTL_MS = 10_000
const MAX_SUMS = 10_000
const MIB = 1024 * 1024

/** Limits the bytes that a Project stores in a mode for sending; see `createQuota`. */
export type Quota = ReturnType<typeof createQuota>

/**
 * Limits the outgoing files that a Project may store, so that one company cannot fill the disk (G106). Received files
 * do not count, because contacts could otherwise prevent a company from sending.
 */
export function createQuota(deps: { db: Db; clock: Clock; bytes: Readonly<Record<Mode, number>> }) {
  const { db, clock, bytes: limits } = deps
  const sums = new Map<string, { sum: Promise<{ bytes: number }>; until: number }>()

  /** Returns the sum of a scope, which concurrent calls share. */
  function sumOf(scope: Scope): Promise<{ bytes: number }> {
    const key = `${scope.projectId} ${scope.mode}`
    const known = sums.get(key)
    if (known && known.until > clock.now()) return known.sum
    if (sums.size >= MAX_SUMS) sums.clear()
    const sum = sumOutgoing(db, scope).then((bytes) => ({ bytes }))
    sums.set(key, { sum, until: clock.now() + SUM_TTL_MS })
    sum.catch(() => sums.delete(key))
    return sum
  }

  return {
    /** Reserves room for a file of this size. Throws MediaProblem if the Project would store more than its limit. */
    async take(scope: Scope, sizeBytes: number): Promise<void> {
      const sum = await sumOf(scope)
      const limit = limits[scope.mode]
      if (sum.bytes + Math.max(1, sizeBytes) > limit)
        throw new MediaProblem('quota', String(Math.floor(limit / MIB)))
      sum.bytes += sizeBytes
    },
  }
}
