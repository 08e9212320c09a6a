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

/** Chats to which messages leave at the same time; Meta accepts 80 messages a second by default. */
const CONCURRENCY = 16
/** How long a message whose outcome is unknown waits for a status from Meta before it fails. */
const UNCERTAIN_MS = 5 * 60_000
/** Meta keeps uploaded files for 30 days. */
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
  | { kind: 'accepted' | 'uncertain' }
  | { kind: 'later'; at: number }
  | { kind: 'failed'; error: Failure }
  /** Not sent, and nothing else can be at the moment. */
  | { kind: 'stopped'; error: Error }

/**
 * Creates the sending of an account. A message is posted once: if its outcome is unknown, it waits for Meta's status,
 * which carries its id, and fails as `OUTCOME_UNKNOWN` if none arrives within five minutes.
 */
export function createCloudSender(deps: {
  clock: Clock
  graph: Graph
  sent: SentMessages
  /** Reports receipts, and retries until they are committed. */
  report(receipts: Receipt[]): void
  /** Meta writes a number in another way than it was typed. */
  onNumber(typed: string, phone: string): void
}) {
  const { clock, graph, sent } = deps
  const gate = createSemaphore(CONCURRENCY)
  /** Chats whose last message waits: later ones wait with it. */
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
    const { content, quoted, media } = message
    const targetId = content.type === 'reaction' ? content.waMessageId : null
    const [quotedAt, target, mediaId] = await Promise.all([
      quoted && sent.wamidOf(quoted.waMessageId),
      targetId && sent.wamidOf(targetId),
      media && upload(account, media),
    ])
    return encodeMessage(message, { quoted: quotedAt, target, mediaId })
  }

  /** A rejected request as the outcome of its message. Throws AccountRejected. */
  function toOutcome(error: unknown): Outcome {
    if (error instanceof NetworkRejection)
      return { kind: 'failed', error: { code: 'UNKNOWN', retryable: false } }
    if (!(error instanceof GraphError)) {
      return { kind: 'stopped', error: error instanceof Error ? error : new Error(String(error)) }
    }
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

  /** Sends a message that has never been sent. Its attempt is stored right before the request. */
  async function sendOne(account: CloudAccount, message: OutboundMessage): Promise<Outcome> {
    let begun = false
    try {
      const body = await prepare(account, message)
      await sent.begin(message)
      begun = true
      await post(account, message, body)
      return { kind: 'accepted' }
    } catch (error) {
      if (begun && error instanceof GraphUncertain) return { kind: 'uncertain' }
      const outcome = toOutcome(error)
      if (begun && outcome.kind !== 'failed') await sent.unsent(message.waMessageId)
      return outcome
    }
  }

  /** Decides about a message that was sent before: it is never posted again. */
  function resume({ at, wamid }: Attempt): Outcome {
    if (wamid) return { kind: 'accepted' }
    const until = at + UNCERTAIN_MS
    if (clock.now() < until) return { kind: 'later', at: until }
    return { kind: 'failed', error: { code: 'OUTCOME_UNKNOWN', retryable: true } }
  }

  /** Sends the messages of a chat in order; those after one that has to wait, wait with it. */
  async function sendChat(
    account: CloudAccount,
    messages: OutboundMessage[],
    attempts: Map<string, Attempt>,
    over: () => boolean,
  ): Promise<{ deferred: DeferredMessage[]; stopped: Error | null }> {
    const deferred: DeferredMessage[] = []
    let waitUntil: number | null = null
    let stopped: Error | null = null
    const { chatId = '' } = messages[0] ?? {}
    const first = waiting.get(chatId)
    // The message that the others wait for may go first, if it is due.
    if (first && first.until > clock.now() && messages[0]?.waMessageId !== first.waMessageId)
      waitUntil = first.until
    else waiting.delete(chatId)
    for (const message of messages) {
      const { waMessageId } = message
      const attempt = attempts.get(waMessageId)
      if (!attempt && (waitUntil !== null || stopped || over())) {
        if (waitUntil !== null) deferred.push({ waMessageId, retryAt: waitUntil })
        continue
      }
      const outcome = attempt ? resume(attempt) : await gate(() => sendOne(account, message))
      if (outcome.kind === 'failed') deps.report([receiptOf(message, 'failed', outcome.error)])
      // Meta's own status usually comes first; without webhooks, what it accepted counts as sent after a minute.
      if (outcome.kind === 'accepted' && attempt) deps.report([receiptOf(message, 'sent', null)])
      if (outcome.kind === 'later') {
        deferred.push({ waMessageId, retryAt: outcome.at })
        if (!attempt) {
          waitUntil = outcome.at
          bound(waiting)
          waiting.set(chatId, { until: outcome.at, waMessageId })
        }
      }
      if (outcome.kind === 'stopped') stopped = outcome.error
    }
    return { deferred, stopped }
  }

  return {
    /**
     * Sends messages as NetworkSession's `send` says. Throws GraphUnreachable or AccountRejected if some were not sent
     * because Meta cannot be reached or no longer knows the account.
     */
    async send(
      account: CloudAccount,
      messages: OutboundMessage[],
      over: () => boolean,
    ): Promise<DeferredMessage[]> {
      const attempts = await sent.attempts(messages.map(({ waMessageId }) => waMessageId))
      let broken = false
      const chats = Map.groupBy(messages, ({ chatId }) => chatId)
      const results = await Promise.all(
        [...chats.values()].map(async (chat) => {
          const result = await sendChat(account, chat, attempts, () => broken || over())
          if (result.stopped) broken = true
          return result
        }),
      )
      const stopped = results.find((result) => result.stopped)?.stopped
      if (stopped) throw stopped
      if (over()) throw new GraphUnreachable('POST messages', new Error('the session was closed'))
      return results.flatMap(({ deferred }) => deferred)
    },
  }
}
