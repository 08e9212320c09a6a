import { Resolver, lookup } from 'node:dns/promises'
import type { Clock } from './clock.ts'

export type ResolvedAddress = { address: string; family: 4 | 6 }
export type NameResolver = { resolve(name: string): Promise<ResolvedAddress[]> }

const LONGEST_CACHE_MS = 60_000
const NEGATIVE_CACHE_MS = 5000
const MOST_NAMES = 50_000

/**
 * Resolves names for outgoing connections. c-ares instead of the system's resolver, which has four threads that
 * nobody can interrupt: a few dead zones would stall every tenant (nodejs/node#62503).
 */
export function createResolver(options: {
  clock: Clock
  servers: string[] | 'system' | null
}): NameResolver {
  const { clock, servers } = options
  const known = new Map<string, { until: number; answer: Promise<ResolvedAddress[]> }>()
  const resolver = new Resolver({ timeout: 2000, tries: 2 })
  if (Array.isArray(servers)) resolver.setServers(servers)

  async function ask(name: string): Promise<{ addresses: ResolvedAddress[]; ttlMs: number }> {
    if (servers === 'system') {
      const found = await lookup(name, { all: true })
      const addresses = found.map(({ address, family }) => ({ address, family: family as 4 | 6 }))
      return { addresses, ttlMs: NEGATIVE_CACHE_MS }
    }
    // A final dot makes the name absolute: no search list.
    const absolute = name.endsWith('.') ? name : `${name}.`
    const [v4, v6] = await Promise.allSettled([
      resolver.resolve4(absolute, { ttl: true }),
      resolver.resolve6(absolute, { ttl: true }),
    ])
    const answers = [
      ...(v4.status === 'fulfilled'
        ? v4.value.map((entry) => ({ ...entry, family: 4 as const }))
        : []),
      ...(v6.status === 'fulfilled'
        ? v6.value.map((entry) => ({ ...entry, family: 6 as const }))
        : []),
    ]
    if (answers.length === 0) throw v4.status === 'rejected' ? v4.reason : new Error('no address')
    const ttlMs = Math.min(LONGEST_CACHE_MS, ...answers.map((entry) => entry.ttl * 1000))
    return { addresses: answers.map(({ address, family }) => ({ address, family })), ttlMs }
  }

  return {
    resolve(name) {
      if (name === 'localhost' || name.endsWith('.localhost')) {
        return Promise.resolve([
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ])
      }
      const cached = known.get(name)
      if (cached && cached.until > clock.monotonic()) return cached.answer
      const entry = { until: Infinity, answer: Promise.resolve<ResolvedAddress[]>([]) }
      entry.answer = ask(name).then(
        ({ addresses, ttlMs }) => {
          entry.until = clock.monotonic() + ttlMs
          return addresses
        },
        (error: unknown) => {
          entry.until = clock.monotonic() + NEGATIVE_CACHE_MS
          throw error
        },
      )
      if (known.size >= MOST_NAMES) known.clear()
      known.set(name, entry)
      return entry.answer
    },
  }
}
