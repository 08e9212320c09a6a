import { isIPv4, type BlockList } from 'node:net'
import { blockList, parseCidr } from '../../kernel/address-policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail, type Failure, type RateState } from '../../kernel/phrases/fail.ts'
import type { KeyRestrictions } from '../../kernel/principal.ts'
import { createTokenBuckets } from '../../kernel/token-bucket.ts'
import type { KeyUse } from '../../platform/auth/authenticator.port.ts'
import type { KeyRestrictionsInput } from './keys.schemas.ts'

const MINUTE_MS = 60_000

/** Returns the restrictions of a new key, or null if it has none. Throws 400 for an address that cannot be parsed. */
export function readRestrictions(input: KeyRestrictionsInput | undefined): KeyRestrictions | null {
  const restrictions: KeyRestrictions = {
    permissions: input?.permissions ?? null,
    instanceIds: input?.instanceIds ?? null,
    addresses: input?.addresses ?? null,
    requestsPerMinute: input?.requestsPerMinute ?? null,
  }
  const invalid = restrictions.addresses?.find((text) => parseCidr(text) === null)
  if (invalid !== undefined)
    throw fail('bad_request', (say) => say.keys.invalidAddress(invalid), {
      field: 'restrictions.addresses',
    })
  return Object.values(restrictions).every((value) => value === null) ? null : restrictions
}

/** Parsed ranges, cached for as long as the key that they belong to. */
const parsedRanges = new WeakMap<string[], BlockList>()

/** Whether one of the ranges contains the address. An IPv4 address may be written as IPv6 (`::ffff:192.0.2.1`). */
function contains(ranges: string[], address: string): boolean {
  let parsed = parsedRanges.get(ranges)
  if (!parsed) parsedRanges.set(ranges, (parsed = blockList(ranges.map(parseCidr))))
  return parsed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Returns the error for a use that the restrictions forbid, or null if they permit it. */
export function forbiddenUse(restrictions: KeyRestrictions, use: KeyUse): Failure | null {
  const { permissions, instanceIds, addresses } = restrictions
  const { permission, concerns, address } = use
  const reason = 'KEY_RESTRICTED'
  if (addresses && !contains(addresses, address))
    return fail('forbidden', (say) => say.keys.forbidsAddress(address), { reason })
  if (permissions && permission && !permissions.includes(permission))
    return fail('forbidden', (say) => say.keys.forbidsPermission[permission], { reason })
  if (!instanceIds || concerns === 'own') return null
  if (concerns === 'project') return fail('forbidden', (say) => say.keys.forbidsProject, { reason })
  return instanceIds.includes(concerns.instanceId)
    ? null
    : fail('forbidden', (say) => say.keys.forbidsInstance, { reason })
}

/**
 * Creates the rate limits of this node. Each live node permits its share, so that all together stay within the limit
 * of the key if requests are spread evenly.
 */
export function createKeyRates(deps: { clock: Clock; aliveNodes: () => number }) {
  const { clock, aliveNodes } = deps
  const buckets = createTokenBuckets({ clock, maxWaitMs: 0 })
  return {
    /** Counts a request. Throws 429 beyond the limit. */
    take(keyId: string, limit: number): RateState {
      const burst = Math.max(1, Math.floor(limit / aliveNodes()))
      const rate = { burst, perSecond: burst / 60 }
      const waitMs = buckets.take(keyId, 1, rate)
      const left = buckets.left(keyId, rate)
      const resetSeconds = Math.ceil(((burst - left) / burst) * (MINUTE_MS / 1000))
      const state: RateState = {
        policy: 'key',
        limit: burst,
        windowSeconds: MINUTE_MS / 1000,
        remaining: Math.floor(left),
        resetSeconds,
      }
      if (waitMs !== null) return state
      const retryAfter = Math.max(1, Math.ceil((1 - left) / rate.perSecond))
      throw fail('rate_limited', (say) => say.keys.rateLimit(limit, retryAfter), {
        reason: 'KEY_RATE_LIMIT',
        retryAfter,
        rate: state,
      })
    },
  }
}
