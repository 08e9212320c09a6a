import type { Clock } from '../../kernel/clock.ts'
import { createSemaphore } from '../../kernel/semaphore.ts'
import type { Receipt } from '../network-events.port.ts'
import {
  NetworkRejection,
  type DeferredMessage,
  type OutboundMedia,
  type OutboundMessage,
} from '../network.port.ts'
import type { CloudAccount } from './account.ts'
import { encodeMessage, phoneOf } from './encode.ts'
import { meaningOf } from './failures.ts'
import { GraphError, GraphUncertain, GraphUnreachable, type Graph } from './graph.ts'
import type { Attempt, SentMessages } from './sent-messages.ts'
import { listOf, textOf } from './unknown.ts'

/** Maximum chats sent to concurrently; Meta accepts 80 messages a second by default. */
const CONCURRENCY = 16
/** How long a message whose outcome is unknown waits for a status from Meta before it fails. */
const UNCERTAIN_MS = 5 * 60_000
/** How long a message that Meta has accepted waits for its status before it counts as sent. */
const STATUS_MS = 60_000
/** The pause of all sends after a request without a response; doubles up to the maximum. */
const MIN_TROUBLE_MS = 1000
const MAX_TROUBLE_MS = 60_000
/** How long a chat waits for a file that cannot be read or uploaded. */
const UNPREPARED_MS = 10_000
/** How long an upload is reused; Meta stores uploads for 30 days. */
const UPLOAD_KEPT_MS = 7 * 24 * 3600_000
const MAX_TRACKED = 10_000

/** Meta no longer accepts the token of the account. */
export class AccountRejected extends Error {
  constructor(cause: unknown) {
    super('Meta rejected the access token of the account', { cause })
    this.name = 'AccountRejected'
  }
}

type Failure = NonNullable<Receipt['error']>
const bound = (map: { size: number; clear(): void }) =>
  void (map.size >= MAX_TRACKED && map.clear())
/** How an attempt to send one message ended. */
type Outcome =
  /** `uncertain`: Meta may have accepted it. */
  | { kind: 'accepted' | 'unsent' | 'uncertain' }
  | { kind: 'later'; at: number }
  | { kind: 'failed'; error: Failure }
  /** Not sent, and no other message can be sent at the moment. */
  | { kind: 'stopped'; error: Error }
  /** Its turn came after the time in which messages may begin. */
  | { kind: 'not_begun' }
const NOT_BEGUN: Outcome = { kind: 'not_begun' }

/** Whether Meta has certainly not accepted the message. */
const isUnsent = (error: unknown) =>
  error instanceof GraphError || error instanceof GraphUnreachable

/**
 * Creates the sender of an account. A message is posted once: if its outcome is unknown, it waits for Meta's status,
 * which carries its id, and fails as `OUTCOME_UNKNOWN` if none arrives within five minutes.
 */
export function createCloudSender(deps: {
  clock: Clock
  graph: Graph
  sent: SentMessages
  /** Reports receipts, and retries until they are committed. */
  report(receipts: Receipt[]): void
  /** Called when Meta's form of a number differs from the typed one. */
  onNumber(typed: string, phone: string): void
  /** Called when a request got no response, or one from a gateway. */
  onTrouble(): void
  /** Since when the session is connected, in epoch milliseconds. */
  connectedAt(): number
}) {
  const { clock, graph, sent } = deps
  /** Circuit breaker: after a request without a response, sends pause; then one message probes. */
  const trouble = { ms: 0, until: 0, isProbing: false }
  const gate = createSemaphore(CONCURRENCY)
  /** Chats with a deferred message, which defers the later ones too. */
  const waiting = new Map<string, { until: number; waMessageId: string }>()
  const uploads = new Map<string, { until: number; id: Promise<string> }>()

  const receiptOf = (
    { waMessageId, chatId }: OutboundMessage,
    status: 'sent' | 'failed',
    error: Failure | null,
  ): Receipt => ({
    waMessageIds: [waMessageId],
    chatId,
    status,
    at: clock.now(),
    party: null,
    error,
  })

  /** Uploads a file once for all messages that carry it. */
  function upload(account: CloudAccount, media: OutboundMedia): Promise<string> {
    const known = uploads.get(media.id)
    if (known && known.until > clock.now()) return known.id
    bound(uploads)
    const id = graph.upload(account, media).catch((error: unknown) => {
      uploads.delete(media.id)
      throw error
    })
    uploads.set(media.id, { until: clock.now() + UPLOAD_KEPT_MS, id })
    return id
  }

  /** Returns what the message refers to in Meta's ids, and uploads its file. */
  async function prepare(account: CloudAccount, message: OutboundMessage): Promise<object> {
    const { content, quoted, target, media } = message
    const targetId = content.type === 'reaction' ? content.waMessageId : null
    const [quotedAt, targetAt, mediaId] = await Promise.all([
      quoted && sent.wamidOf(quoted.waMessageId, quoted.fromMe),
      targetId && sent.wamidOf(targetId, target?.fromMe ?? false),
      media && upload(account, media),
    ])
    return encodeMessage(message, { quoted: quotedAt, target: targetAt, mediaId })
  }

  /** The outcome of a message that has certainly not been accepted. */
  function toOutcome(error: unknown): Outcome {
    if (error instanceof NetworkRejection)
      return { kind: 'failed', error: { code: 'UNKNOWN', retryable: false } }
    if (error instanceof GraphUnreachable) return { kind: 'stopped', error }
    // Its file cannot be read or uploaded at the moment: that concerns no other chat.
    if (!(error instanceof GraphError)) return { kind: 'later', at: clock.now() + UNPREPARED_MS }
    const meaning = meaningOf(error)
    if (meaning.kind === 'account') return { kind: 'stopped', error: new AccountRejected(error) }
    if (meaning.kind === 'later') return { kind: 'later', at: clock.now() + meaning.afterMs }
    return meaning
  }

  async function post(account: CloudAccount, message: OutboundMessage, body: object) {
    const { waMessageId, chatId } = message
    const answer = await graph.post(account, `${account.phoneNumberId}/messages`, body)
    const wamid = textOf(listOf(answer, 'messages')[0]?.['id'])
    if (!wamid) throw new GraphUncertain('POST messages', new Error('the response has no id'))
    await sent.accepted(waMessageId, chatId, wamid)
    const canonical = textOf(listOf(answer, 'contacts')[0]?.['wa_id'])
    const typed = phoneOf(chatId)
    if (canonical && canonical !== typed && /^\d{5,20}$/.test(canonical))
      deps.onNumber(typed, canonical)
  }

  /** Sends a new message; while the circuit breaker is half open, only one message at a time. */
  async function sendOne(
    account: CloudAccount,
    message: OutboundMessage,
    over: () => boolean,
  ): Promise<Outcome> {
    if (over()) return { kind: 'unsent' }
    const now = clock.now()
    if (trouble.until > now) return { kind: 'later', at: trouble.until }
    if (trouble.ms === 0) return attempt(account, message, over)
    if (trouble.isProbing) return { kind: 'later', at: now + MIN_TROUBLE_MS }
    trouble.isProbing = true
    return attempt(account, message, over).finally(() => (trouble.isProbing = false))
  }

  /** Makes an attempt, which is stored before the request and before an upload, which may take long. */
  async function attempt(
    account: CloudAccount,
    message: OutboundMessage,
    over: () => boolean,
  ): Promise<Outcome> {
    let begun = message.media !== null
    let posted = false
    try {
      if (begun) await sent.begin(message)
      const body = await prepare(account, message)
      if (over()) throw new GraphUnreachable('POST messages', new Error('the session was closed'))
      if (!begun) await sent.begin(message)
      begun = true
      posted = true
      await post(account, message, body)
      trouble.ms = 0
      return { kind: 'accepted' }
    } catch (error) {
      // Includes an accepted message whose id could not be stored: its status will bring the id.
      if (posted && !isUnsent(error)) return troubled()
      const outcome = toOutcome(error)
      if (begun && outcome.kind !== 'failed') await sent.unsent(message.waMessageId)
      return outcome
    }
  }

  function troubled(): Outcome {
    trouble.ms = Math.min(MAX_TROUBLE_MS, Math.max(MIN_TROUBLE_MS, trouble.ms * 2))
    trouble.until = clock.now() + trouble.ms
    deps.onTrouble()
    return { kind: 'uncertain' }
  }

  /** Decides the outcome of a message with an earlier attempt, which is never posted again. */
  function resume({ at, wamid }: Attempt): Outcome {
    // No status could arrive while the session was disconnected.
    const until = Math.max(at, deps.connectedAt()) + (wamid ? STATUS_MS : UNCERTAIN_MS)
    if (clock.now() < until) return { kind: 'later', at: until }
    // Meta's own status usually comes first; without webhooks, what it accepted counts as sent after a minute.
    if (wamid) return { kind: 'accepted' }
    return { kind: 'failed', error: { code: 'OUTCOME_UNKNOWN', retryable: true } }
  }

  /** Sends the messages of a chat in order; a deferred message defers those after it. */
  async function sendChat(
    account: CloudAccount,
    messages: OutboundMessage[],
    attempts: Map<string, Attempt>,
    halt: { over: () => boolean; until: number; error: unknown },
  ): Promise<DeferredMessage[]> {
    const deferred: DeferredMessage[] = []
    const over = () => halt.error !== null || halt.over()
    const { chatId = '' } = messages[0] ?? {}
    let waitUntil = blockedUntil(chatId, messages)
    for (const message of messages) {
      const { waMessageId } = message
      const earlier = attempts.get(waMessageId)
      if (!earlier && waitUntil !== null) {
        deferred.push({ waMessageId, retryAt: waitUntil })
        continue
      }
      // Checked when its turn comes: the caller repeats a batch that takes too long, with what has not begun.
      const outcome = earlier
        ? resume(earlier)
        : await gate(async () =>
            clock.now() >= halt.until ? NOT_BEGUN : sendOne(account, message, over),
          )
      if (outcome.kind === 'failed') deps.report([receiptOf(message, 'failed', outcome.error)])
      else if (outcome.kind === 'accepted' && earlier)
        deps.report([receiptOf(message, 'sent', null)])
      else if (outcome.kind === 'later') {
        deferred.push({ waMessageId, retryAt: outcome.at })
        if (!earlier) {
          waitUntil = outcome.at
          bound(waiting)
          waiting.set(chatId, { until: outcome.at, waMessageId })
        }
      } else if (outcome.kind === 'stopped') halt.error ??= outcome.error
      else if (outcome.kind === 'not_begun')
        deferred.push({ waMessageId, retryAt: clock.now(), notAttempted: true })
    }
    return deferred
  }

  /** Returns until when a chat is blocked by its deferred message, unless that comes first; null if it is not. */
  function blockedUntil(chatId: string, [first]: OutboundMessage[]): number | null {
    const wait = waiting.get(chatId)
    if (wait && wait.until > clock.now() && first?.waMessageId !== wait.waMessageId)
      return wait.until
    waiting.delete(chatId)
    return null
  }

  return {
    /** Forgets what was uploaded for a number that the account no longer has. */
    forgetUploads: () => uploads.clear(),

    /**
     * Implements NetworkSession's `send`. Throws GraphUnreachable or AccountRejected if some were not sent; the
     * caller repeats all, and what was posted is not posted again.
     */
    async send(
      account: CloudAccount,
      messages: OutboundMessage[],
      over: () => boolean,
      until = Infinity,
    ): Promise<DeferredMessage[]> {
      const attempts = await sent.attempts(messages.map(({ waMessageId }) => waMessageId))
      const halt: Parameters<typeof sendChat>[3] = { over, until, error: null }
      const chats = Map.groupBy(messages, ({ chatId }) => chatId)
      // Wait for all chats even if one fails, because the caller may then send the next batch.
      const results = await Promise.allSettled(
        [...chats.values()].map((chat) =>
          sendChat(account, chat, attempts, halt).catch((error: unknown) => {
            halt.error ??= error
            throw error
          }),
        ),
      )
      if (halt.error !== null) throw halt.error
      if (over()) throw new GraphUnreachable('POST messages', new Error('the session was closed'))
      return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
    },
  }
}
