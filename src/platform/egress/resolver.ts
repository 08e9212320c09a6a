import { Resolver, lookup } from 'node:dns/promises'
import type { Clock } from '../../kernel/clock.ts'
import { createGate } from '../../kernel/gate.ts'

export type ResolvedAddress = { address: string; family: 4 | 6 }
export type NameResolver = {
  /** `tenant` names whose limit of lookups in flight this one counts against; null for the product's own. */
  resolve(name: string, tenant?: string | null): Promise<ResolvedAddress[]>
}

const MAX_TTL_MS = 60_000
const NEGATIVE_TTL_MS = 5000
const MAX_NAMES = 50_000
/** Lookups of one tenant in flight; more of them queue. */
const TENANT_CONCURRENCY = 16
/** How long evidence that our name servers work counts. */
const EVIDENCE_MS = 5000

/** The name does not exist, or has no address: an answer about the name, which may be cached. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA'])
/** The name servers said something, even if it is of no use. */
const ANSWERED = new Set([
  ...NO_SUCH_NAME,
  'ESERVFAIL',
  'EREFUSED',
  'EBADRESP',
  'EFORMERR',
  'ENOTIMP',
])
/** Our name servers could not be reached. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH'])

/** The lookup failed because of our own name servers: it says nothing about the name. */
class ResolverAway extends Error {
  readonly code = 'EGRESS_DNS'
  constructor(name: string, cause: unknown) {
    super(`the name servers did not answer for ${name}`, { cause })
    this.name = 'ResolverAway'
  }
}

type Answer = { addresses: ResolvedAddress[]; ttlMs: number }
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/**
 * Resolves names for outgoing connections. c-ares instead of the system's resolver, which has four threads that cannot be
 * interrupted: a few dead zones would stall every tenant (nodejs/node#62503). Each query has a channel of its own, because
 * one malformed answer fails every query of its channel.
 */
export function createResolver(options: {
  clock: Clock
  servers: string[] | 'system' | null
}): NameResolver {
  const { clock, servers } = options
  const known = new Map<string, { until: number; answer: Promise<ResolvedAddress[]> }>()
  const gates = new Map<string, { gate: ReturnType<typeof createGate>; users: number }>()
  let answeredAt = -Infinity
  let probing: Promise<boolean> | null = null

  function openChannel(tries: number): Resolver {
    const channel = new Resolver({ timeout: 2000, tries })
    if (Array.isArray(servers)) channel.setServers(servers)
    return channel
  }

  /** One query; what may be transient is tried once more on a fresh channel. */
  async function query(
    name: string,
    family: 4 | 6,
  ): Promise<{ address: string; ttl: number; family: 4 | 6 }[]> {
    for (let tries = 1; ; tries++) {
      const channel = openChannel(2)
      try {
        const found =
          family === 4
            ? await channel.resolve4(name, { ttl: true })
            : await channel.resolve6(name, { ttl: true })
        answeredAt = clock.monotonic()
        return found.map((entry) => ({ ...entry, family }))
      } catch (error) {
        const code = codeOf(error)
        if (ANSWERED.has(code)) answeredAt = clock.monotonic()
        const transient = ANSWERED.has(code) && !NO_SUCH_NAME.has(code)
        if (!transient || tries === 2) throw error
      }
    }
  }

  /** Whether our name servers answer anything at all. */
  function probe(): Promise<boolean> {
    if (clock.monotonic() - answeredAt < EVIDENCE_MS) return Promise.resolve(true)
    probing ??= openChannel(1)
      .resolveNs('.')
      .then(
        () => true,
        (error: unknown) => ANSWERED.has(codeOf(error)),
      )
      .finally(() => (probing = null))
    return probing
  }

  async function ask(name: string): Promise<Answer> {
    if (servers === 'system') {
      const found = await lookup(name, { all: true })
      const addresses = found.map(({ address, family }) => ({ address, family: family as 4 | 6 }))
      return { addresses, ttlMs: NEGATIVE_TTL_MS }
    }
    // A final dot makes the name absolute: no search list.
    const absolute = name.endsWith('.') ? name : `${name}.`
    const results = await Promise.allSettled([query(absolute, 4), query(absolute, 6)])
    const found = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    if (found.length > 0) {
      const ttlMs = Math.min(MAX_TTL_MS, ...found.map((entry) => entry.ttl * 1000))
      return { addresses: found.map(({ address, family }) => ({ address, family })), ttlMs }
    }
    const errors = results.flatMap((result) =>
      result.status === 'rejected' ? [result.reason] : [],
    )
    // A name whose addresses of one family are unknown is not known to have none.
    const error: unknown = errors.find((one) => !NO_SUCH_NAME.has(codeOf(one))) ?? errors[0]
    const code = codeOf(error)
    const answered = ANSWERED.has(code)
    if (UNREACHABLE.has(code) || (!answered && !(await probe())))
      throw new ResolverAway(name, error)
    throw error
  }

  /** Runs `work` within the tenant's limit; a gate lives as long as somebody uses it. */
  async function limited<T>(tenant: string | null, work: () => Promise<T>): Promise<T> {
    if (tenant === null) return work()
    const own = gates.get(tenant) ?? { gate: createGate(TENANT_CONCURRENCY), users: 0 }
    gates.set(tenant, own)
    own.users++
    try {
      return await own.gate(work)
    } finally {
      if (--own.users === 0) gates.delete(tenant)
    }
  }

  return {
    resolve(name, tenant = null) {
      if (name === 'localhost' || name.endsWith('.localhost')) {
        return Promise.resolve([
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ])
      }
      const cached = known.get(name)
      if (cached && cached.until > clock.monotonic()) return cached.answer
      const entry = { until: Infinity, answer: Promise.resolve<ResolvedAddress[]>([]) }
      entry.answer = limited(tenant, () => ask(name)).then(
        ({ addresses, ttlMs }) => {
          entry.until = clock.monotonic() + ttlMs
          return addresses
        },
        (error: unknown) => {
          // Only what the name servers know about the name is cached.
          if (NO_SUCH_NAME.has(codeOf(error))) entry.until = clock.monotonic() + NEGATIVE_TTL_MS
          else if (known.get(name) === entry) known.delete(name)
          throw error
        },
      )
      if (known.size >= MAX_NAMES) known.clear()
      known.set(name, entry)
      return entry.answer
    },
  }
}
