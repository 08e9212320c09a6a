import type { AddressPolicy } from '../../kernel/address-policy.ts'
import { startBudget } from '../../kernel/budget.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import {
  discardBody,
  getFollowingRedirects,
  readStart,
} from '../../platform/egress/follow-redirects.ts'

/** The version that a client presents when it connects. */
export type ClientVersion = [number, number, number]

/** The page from which WhatsApp's web client takes its version. */
const WEB_CLIENT = new URL('https://web.whatsapp.com/sw.js')
/** The web client's version is `2.3000.` followed by the revision found on its page. */
const MAJOR = 2
const MINOR = 3000
const REVISION = /\\?"client_revision\\?"\s*:\s*(\d{1,12})/
const TIMEOUT_MS = 10_000
/** The page is about 60 kB; the revision is in the first half. */
const MAX_PAGE_BYTES = 512 * 1024
const MAX_AGE_MS = 6 * 3600_000
/** Minimum time between lookups, so that many rejected sessions share one. */
const MIN_INTERVAL_MS = 60_000

/**
 * Creates the version that all sessions of this process present: the pinned one, or the newer of the engine's and the
 * last one read from WhatsApp's web client. It is read again when a session connects and the last lookup is more than
 * six hours old, and when WhatsApp rejects the current version.
 */
export function createClientVersions(deps: {
  clock: Clock
  policy: AddressPolicy
  client: Pick<OutboundClient, 'download'>
  metrics: Metrics
  /** Whether sessions connect to a server other than WhatsApp's; its version can then only be read from `source`. */
  replaced: boolean
  source: URL | null
  pinned: ClientVersion | null
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, pinned, onError } = deps
  const source = pinned ? null : (deps.source ?? (deps.replaced ? null : WEB_CLIENT))
  let found: ClientVersion | null = null
  let lookedUpAt = -Infinity
  let pending: Promise<void> | null = null
  let presented: ClientVersion | null = null
  const rejections = deps.metrics.counter(
    'whatsapp_version_rejected_total',
    "Connections that WhatsApp rejected for the client's version",
  )
  deps.metrics.gauge(
    'whatsapp_client_revision',
    "The last part of the client's version; 0 before the first connection",
    () => presented?.[2] ?? 0,
  )

  async function lookUp(address: URL): Promise<void> {
    const budget = startBudget(clock, TIMEOUT_MS)
    // The page is served only to requests that look like browser navigation.
    const headers = { 'user-agent': 'Mozilla/5.0', accept: '*/*', 'sec-fetch-site': 'none' }
    try {
      const answer = await getFollowingRedirects(deps, address, { headers, budget })
      if (answer.status !== 200) {
        discardBody(answer)
        throw new Error(`HTTP ${answer.status} from ${address.href}`)
      }
      const [, revision] = REVISION.exec(await readStart(answer, MAX_PAGE_BYTES)) ?? []
      if (!revision) throw new Error(`no version in ${address.href}`)
      found = [MAJOR, MINOR, Number(revision)]
    } finally {
      budget.end()
    }
  }

  /** Looks the version up unless that happened within `ms`; a lookup that fails leaves the last version. */
  async function refresh(ms: number): Promise<void> {
    if (!source) return
    if (!pending && clock.monotonic() - lookedUpAt >= ms) {
      lookedUpAt = clock.monotonic()
      pending = lookUp(source)
        .catch((error: unknown) => onError(lookUpFailure(error)))
        .finally(() => (pending = null))
    }
    await pending
  }

  return {
    /** Whether the version can change while the process runs. */
    followsWhatsApp: source !== null,

    /** Returns the version to present; `engine` is the engine's own. Looks for a newer one in the background. */
    present(engine: ClientVersion): ClientVersion {
      void refresh(MAX_AGE_MS)
      presented = pinned ?? (found && isNewer(found, engine) ? found : engine)
      return presented
    },

    /** Looks for another version after WhatsApp rejected `rejected`; resolves true if there is one. */
    async replace(rejected: ClientVersion): Promise<boolean> {
      rejections.inc()
      await refresh(MIN_INTERVAL_MS)
      return found !== null && isNewer(found, rejected)
    },
  }
}

/** The versions that `createClientVersions` returns. */
export type ClientVersions = ReturnType<typeof createClientVersions>

const lookUpFailure = (cause: unknown) =>
  new Error(`looking up the client version: ${String(cause)}`, { cause })

function isNewer(one: ClientVersion, other: ClientVersion): boolean {
  const at = one.findIndex((part, index) => part !== other[index])
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0)
}
