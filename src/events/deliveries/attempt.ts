import type { LeasedDelivery } from '../events.service.ts'
import type { AddressPolicy } from '../../kernel/address-policy.ts'
import type { Clock } from '../../kernel/clock.ts'
import { startBudget } from '../../kernel/budget.ts'
import type { Exchange, ResponseHead } from '../../platform/egress/outbound-client.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import { redirectTarget } from '../../platform/egress/target-url.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { WebhookTarget } from '../webhooks/webhooks.service.ts'
import { deliveryHeaders } from './sign-delivery.ts'

/** Time budget of a whole attempt: DNS, TLS, request, response and redirects (G49). */
const ATTEMPT_TIMEOUT_MS = 15_000
const MAX_REQUESTS = 10

type ReasonClass =
  | 'none'
  | 'http_3xx'
  | 'http_4xx'
  | 'http_5xx'
  | 'timeout'
  | 'forbidden_address'
  | 'network'
  | 'invalid_url'
  | 'interrupted'
  | 'ours'

/** The result of one delivery attempt. */
export type AttemptOutcome = {
  success: boolean
  /** The category of `reason`, a label of the metrics. */
  reasonClass: ReasonClass
  statusCode: number | null
  /** Sentence for the customer, without addresses or details of this server's network. Null on success. */
  reason: string | null
  /** No further attempt is made: the URL is not a valid request URL. */
  cancelled: boolean
  /** The cause is on this server, such as exhausted sockets; the attempt does not count. */
  localFault: boolean
  durationMs: number
}

/** Lookup of the server's own test inboxes (G55), the only internal targets that may be called. */
export type OwnInboxes = {
  /** Returns the listener to connect to if the URL is an inbox of the webhook's Project and mode, else null. */
  listenerFor(
    url: URL,
    owner: Pick<WebhookTarget, 'projectId' | 'mode'>,
  ): Promise<{ host: string; port: number } | null>
}

/** The dependencies of `attemptDelivery`. */
export type AttemptDeps = {
  clock: Clock
  policy: AddressPolicy
  egress: Pick<Egress, 'exchange' | 'exchangeWithListener'>
  inboxes: OwnInboxes
}

/**
 * Makes one delivery attempt. All hops share one time budget; redirects are followed here so that the address policy is
 * applied to every hop. Never throws.
 */
export async function attemptDelivery(
  deps: AttemptDeps,
  delivery: LeasedDelivery,
  target: WebhookTarget,
): Promise<AttemptOutcome> {
  const { clock } = deps
  const { parsed } = target
  const startedAt = clock.monotonic()
  const durationMs = () => Math.round(clock.monotonic() - startedAt)
  if (parsed.problem && parsed.problem !== 'private') {
    const reason = say.deliveries.invalidUrl(target.url.slice(0, 200))
    return { ...failed('invalid_url', reason), cancelled: true, durationMs: durationMs() }
  }
  if (!parsed.url) return { ...forbidden(), durationMs: durationMs() }
  const body = Buffer.from(delivery.event.body)
  const headers = deliveryHeaders({
    webhookId: target.id,
    event: delivery.event,
    body,
    keys: target.keys,
    previous: target.previous,
    headers: target.headers,
    at: clock.now(),
  })
  const budget = startBudget(clock, ATTEMPT_TIMEOUT_MS)
  try {
    const tenant = target.projectId
    const first: Exchange = { url: parsed.url, method: 'POST', headers, body, budget, tenant }
    const status = await followRedirects(deps, first, target)
    return { ...outcomeOfStatus(status), durationMs: durationMs() }
  } catch (error) {
    return { ...outcomeOfError(error), durationMs: durationMs() }
  } finally {
    budget.end()
  }
}

/** Returns the deciding status: that of the last hop, or of a redirect that cannot be followed. */
async function followRedirects(
  deps: AttemptDeps,
  first: Exchange,
  owner: WebhookTarget,
): Promise<number> {
  const { egress, policy, inboxes } = deps
  const listener = await inboxes.listenerFor(first.url, owner)
  if (listener) return (await egress.exchangeWithListener(listener, first)).status
  let request = first
  for (let count = 1; ; count++) {
    const head: ResponseHead = await egress.exchange(request)
    const next = nextHop(head, request, { policy, own: Object.keys(owner.headers) })
    if (!next || count === MAX_REQUESTS) return head.status
    if (await inboxes.listenerFor(next.url, owner)) return head.status
    request = next
  }
}

/**
 * Returns the request that follows a redirect, or null. `own` are the webhook's own headers, such as a credential, which
 * only its own origin may see.
 */
function nextHop(
  head: ResponseHead,
  request: Exchange,
  { policy, own }: { policy: AddressPolicy; own: string[] },
): Exchange | null {
  const url = redirectTarget(head, request.url, policy)
  if (!url) return null
  const hidden = new Set(url.origin === request.url.origin ? [] : own)
  if (head.status === 303) hidden.add('content-type')
  const headers = Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => !hidden.has(name)),
  )
  if (head.status !== 303) return { ...request, url, headers }
  return { ...request, url, method: 'GET', headers, body: null }
}

function failed(reasonClass: ReasonClass, reason: string): AttemptOutcome {
  const plain = { statusCode: null, cancelled: false, localFault: false, durationMs: 0 }
  return { success: false, reasonClass, reason, ...plain }
}

/** Converts the final status, which alone decides about success, to an outcome. */
function outcomeOfStatus(statusCode: number): AttemptOutcome {
  const success = statusCode >= 200 && statusCode < 300
  if (success) return { ...failed('none', ''), success, reason: null, statusCode }
  const hundreds = statusCode < 400 ? 'http_3xx' : statusCode < 500 ? 'http_4xx' : 'http_5xx'
  return { ...failed(hundreds, say.deliveries.http(statusCode)), statusCode }
}

const forbidden = () =>
  failed('forbidden_address', say.deliveries.network(say.deliveries.forbiddenAddress))

/** The outcome of an attempt during which its node crashed repeatedly (G50). */
export const interrupted = () =>
  failed('interrupted', say.deliveries.network(say.deliveries.interrupted))

/** Error codes shown to customers; any other code could reveal details of the internal network. */
const PUBLIC_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'CERT_HAS_EXPIRED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])
const CODE_ALIASES: Record<string, string> = {
  UND_ERR_SOCKET: 'ECONNRESET',
  UND_ERR_HEADERS_OVERFLOW: 'HEADERS_OVERFLOW',
  ENODATA: 'ENOTFOUND',
  ESERVFAIL: 'DNS',
  EREFUSED: 'DNS',
  EBADRESP: 'DNS',
  EFORMERR: 'DNS',
  ENOTIMP: 'DNS',
}
const TIMEOUTS = new Set([
  'BUDGET_SPENT',
  'ETIMEDOUT',
  'ETIMEOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
])
const LOCAL_CODES = new Set([
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'ENOBUFS',
  'EADDRNOTAVAIL',
  'EGRESS_PROXY',
  'EGRESS_DNS',
])

function outcomeOfError(error: unknown): AttemptOutcome {
  const code = codeOf(error)
  const { network, networkHints, timeout } = say.deliveries
  if (LOCAL_CODES.has(code)) return { ...failed('ours', network('DNS')), localFault: true }
  if (code === 'FORBIDDEN_ADDRESS') return forbidden()
  if (TIMEOUTS.has(code)) return failed('timeout', network(timeout))
  const shownCode = publicCode(code)
  const hint = networkHints[shownCode]
  return failed('network', network(hint ? `${shownCode} (${hint})` : shownCode))
}

/** Returns the error code shown to customers: one name per cause, `UNKNOWN` for codes that are not listed. */
function publicCode(code: string): string {
  if (code.startsWith('HPE_')) return 'INVALID_HTTP'
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_')) return 'TLS'
  return CODE_ALIASES[code] ?? (PUBLIC_CODES.has(code) ? code : 'UNKNOWN')
}

/** Returns the code of an error, of the first error of an AggregateError, or of its cause; empty if there is none. */
function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  if ('errors' in error && Array.isArray(error.errors)) return codeOf(error.errors[0])
  // Some errors of the parser have no code.
  if ('name' in error && error.name === 'HTTPParserError') return 'HPE_INVALID'
  if ('code' in error && typeof error.code === 'string') return error.code
  return 'cause' in error ? codeOf(error.cause) : ''
}
