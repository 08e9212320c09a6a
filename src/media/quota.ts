import type { Clock } from '../kernel/clock.ts'
import type { Mode } from '../kernel/config/config.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { sumOutgoing } from './media.sql.ts'

/** How long the sum of a scope is trusted; this node adds what it stores meanwhile. */
const SUM_TTL_MS = 10_000
const MAX_SUMS = 10_000
const MIB = 1024 * 1024

/** Limits the bytes that a Project stores in a mode for sending; see `createQuota`. */
export type Quota = ReturnType<typeof createQuota>

/**
 * Creates the limit of what a Project stores to send, so that no company fills the disk for all (G106). Received files
 * do not count: strangers must not keep a company from sending.
 */
export function createQuota(deps: { db: Db; clock: Clock; bytes: Readonly<Record<Mode, number>> }) {
  const { db, clock, bytes: limits } = deps
  const sums = new Map<string, { bytes: number; until: number }>()

  async function sumOf(scope: Scope): Promise<{ bytes: number }> {
    const key = `${scope.projectId} ${scope.mode}`
    const known = sums.get(key)
    if (known && known.until > clock.now()) return known
    const bytes = await sumOutgoing(db, scope, new Date(clock.now()))
    if (sums.size >= MAX_SUMS) sums.clear()
    const sum = { bytes, until: clock.now() + SUM_TTL_MS }
    sums.set(key, sum)
    return sum
  }

  return {
    /** Reserves room for a file of this size. Throws 413 if the Project has stored too much. */
    async take(scope: Scope, sizeBytes: number): Promise<void> {
      const sum = await sumOf(scope)
      const limit = limits[scope.mode]
      if (sum.bytes + sizeBytes > limit)
        throw fail('payload_too_large', (say) => say.media.quota(Math.floor(limit / MIB)))
      sum.bytes += sizeBytes
    },
  }
}
