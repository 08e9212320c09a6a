import { Resolver, lookup } from 'node:dns/promises'
import { delay, type Clock } from '../../kernel/clock.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'

/** An address that a name resolves to. */
export type ResolvedAddress = { address: string; family: 4 | 6 }
/** Resolves host names of outgoing connections. */
export type NameResolver = {
  /**
   * Resolves to all addresses of a name. The lookup counts against the concurrency limit of `tenant`; null means no
   * limit.
   */
  resolve(name: string, tenant?: string | null): Promise<ResolvedAddress[]>
}

const MAX_TTL_MS = 60_000
const NEGATIVE_TTL_MS = 5000
const MAX_NAMES = 50_000
/** Maximum concurrent lookups per tenant; further ones queue. */
const TENANT_CONCURRENCY = 16
/**
 * Backoff before a name is looked up again after a transient failure: first this long, then twice as
 * long each time. Concurrent callers share that lookup, and no failure is cached.
 */
const FIRST_PAUSE_MS = 250
const MAX_PAUSE_MS = 2000
/** A name whose last failure is older than this starts again without a pause. */
const FORGET_FAILURE_MS = 10_000
/** How long a response proves that the name servers work. */
const EVIDENCE_MS = 5000
/** Idle channels kept, and how long: opening one takes half a millisecond and reads the machine's configuration. */
const MAX_IDLE_CHANNELS = 32
const CHANNEL_LIFETIME_MS = 30_000

/** The name does not exist or has no addresses. This is a fact about the name and may be cached. */
const NO_SUCH_NAME = new Set(['ENOTFOUND', 'ENODATA'])
/** Codes that prove that a name server responded, even if the response is of no use. */
const ANSWERED = new Set([
  ...NO_SUCH_NAME,
  'ESERVFAIL',
  'EREFUSED',
  'EBADRESP',
  'EFORMERR',
  'ENOTIMP',
])
/** The response could not be read: a channel that received one is not used again. */
const UNREADABLE = new Set(['EBADRESP', 'EFORMERR'])
/** The name servers could not be reached. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH'])

/** The lookup failed because the name servers are unreachable, which says nothing about the name. */
class NameServersUnreachable extends Error {
  readonly code = 'EGRESS_DNS'
  constructor(name: string, cause: unknown) {
    super(`cannot resolve ${name}: the name servers did not respond`, { cause })
    this.name = 'NameServersUnreachable'
  }
}

type Answer = { addresses: ResolvedAddress[]; ttlMs: number }
const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/**
 * Resolves names for outgoing connections with c-ares instead of the system resolver, whose four threads cannot be
 * interrupted: a few unresponsive zones would stall every tenant (nodejs/node#62503). A channel has one query at a
 * time, because one malformed response fails every query of its channel. Lookups fail with the code `EGRESS_DNS` when
 * no name server responds.
 */
export function createResolver(options: {
  clock: Clock
  /** Name servers; `system` for the system resolver; null for the configured servers of this machine. */
  servers: string[] | 'system' | null
}): NameResolver {
  const { clock, servers } = options
  const known = new Map<string, { until: number; answer: Promise<ResolvedAddress[]> }>()
  const inProgress = new Map<string, Promise<ResolvedAddress[]>>()
  const gates = new Map<string, { gate: ReturnType<typeof createSemaphore>; users: number }>()
  const failures = new Map<string, { at: number; pauseMs: number }>()
  let answeredAt = -Infinity
  let probing: Promise<boolean> | null = null

  const idle: { resolver: Resolver; openedAt: number }[] = []

  function openChannel(tries: number): Resolver {
    const channel = new Resolver({ timeout: 2000, tries })
    if (Array.isArray(servers)) channel.setServers(servers)
    return channel
  }

  /** Returns an idle channel, or a new one. */
  function takeChannel(fresh: boolean): { resolver: Resolver; openedAt: number } {
    const now = clock.monotonic()
    while (!fresh) {
      const kept = idle.pop()
      if (!kept) break
      if (now - kept.openedAt < CHANNEL_LIFETIME_MS) return kept
    }
    return { resolver: openChannel(2), openedAt: now }
  }

  /** Runs one query, on a channel that has no other. */
  async function queryOnce(name: string, family: 4 | 6, fresh: boolean) {
    const channel = takeChannel(fresh)
    const keep = () => void (idle.length < MAX_IDLE_CHANNELS && idle.push(channel))
    const { resolver } = channel
    try {
      const found =
        family === 4
          ? await resolver.resolve4(name, { ttl: true })
          : await resolver.resolve6(name, { ttl: true })
      keep()
      return found
    } catch (error) {
      const code = codeOf(error)
      if (ANSWERED.has(code) && !UNREADABLE.has(code)) keep()
      throw error
    }
  }

  /** Runs one query and retries a transient failure once, on a new channel if the failure may be the channel's. */
  async function query(
    name: string,
    family: 4 | 6,
  ): Promise<{ address: string; ttl: number; family: 4 | 6 }[]> {
    let fresh = false
    for (let tries = 1; ; tries++) {
      try {
        const found = await queryOnce(name, family, fresh)
        answeredAt = clock.monotonic()
        return found.map((entry) => ({ ...entry, family }))
      } catch (error) {
        const code = codeOf(error)
        if (ANSWERED.has(code)) answeredAt = clock.monotonic()
        const transient = ANSWERED.has(code) && !NO_SUCH_NAME.has(code)
        if (!transient || tries === 2) throw error
        fresh = UNREADABLE.has(code)
      }
    }
  }

  /** Whether the name servers respond to any query. */
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

  async function lookUp(name: string): Promise<Answer> {
    if (servers === 'system') {
      const found = await lookup(name, { all: true })
      const addresses = found.map(({ address, family }) => ({ address, family: family as 4 | 6 }))
      return { addresses, ttlMs: NEGATIVE_TTL_MS }
    }
    // A trailing dot makes the name absolute, so that no search list applies.
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
    // If the lookup of one address family failed, the name cannot be reported as nonexistent.
    const error: unknown = errors.find((one) => !NO_SUCH_NAME.has(codeOf(one))) ?? errors[0]
    const code = codeOf(error)
    const answered = ANSWERED.has(code)
    if (UNREACHABLE.has(code) || (!answered && !(await probe())))
      throw new NameServersUnreachable(name, error)
    throw error
  }

  /** Waits until a name that failed may be looked up again. */
  async function pauseAfterFailure(name: string): Promise<void> {
    const last = failures.get(name)
    if (!last) return
    const untilMs = last.at + last.pauseMs - clock.monotonic()
    if (untilMs > 0) await delay(clock, untilMs)
  }

  function noteFailure(name: string): void {
    const at = clock.monotonic()
    const last = failures.get(name)
    const again = last && at - last.at < FORGET_FAILURE_MS
    const pauseMs = again ? Math.min(MAX_PAUSE_MS, last.pauseMs * 2) : FIRST_PAUSE_MS
    if (failures.size >= MAX_NAMES) failures.clear()
    failures.set(name, { at, pauseMs })
  }

  /** Runs `work` within the tenant's concurrency limit. Its semaphore is removed after the last use. */
  async function limited<T>(tenant: string | null, work: () => Promise<T>): Promise<T> {
    if (tenant === null) return work()
    const own = gates.get(tenant) ?? { gate: createSemaphore(TENANT_CONCURRENCY), users: 0 }
    gates.set(tenant, own)
    own.users++
    try {
      return await own.gate(work)
    } finally {
      if (--own.users === 0) gates.delete(tenant)
    }
  }

  async function lookUpAndCache(name: string, tenant: string | null): Promise<ResolvedAddress[]> {
    const remember = (answer: Promise<ResolvedAddress[]>, ms: number) => {
      if (known.size >= MAX_NAMES) known.clear()
      known.set(name, { until: clock.monotonic() + ms, answer })
      failures.delete(name)
    }
    try {
      await pauseAfterFailure(name)
      const { addresses, ttlMs } = await limited(tenant, () => lookUp(name))
      remember(Promise.resolve(addresses), ttlMs)
      return addresses
    } catch (error) {
      const code = codeOf(error)
      // Only facts about the name are cached. Unreachable name servers say nothing about the name.
      if (!NO_SUCH_NAME.has(code)) {
        if (!(error instanceof NameServersUnreachable)) noteFailure(name)
      } else {
        const answer = Promise.reject(error)
        answer.catch(() => {})
        remember(answer, NEGATIVE_TTL_MS)
      }
      throw error
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
      // Pending lookups are per tenant: one may be queued behind many others of the same tenant.
      const key = `${tenant} ${name}`
      const pending = inProgress.get(key)
      if (pending) return pending
      const answer = lookUpAndCache(name, tenant).finally(() => inProgress.delete(key))
      inProgress.set(key, answer)
      return answer
    },
  }
}
