import { lockProjects } from '../../company/projects/projects.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import {
  DAILY_CAP,
  insufficientCredits,
  subscriptionRequired,
} from '../../company/billing/billing.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { EventsService } from '../../events/events.service.ts'
import { isItemError } from '../../platform/db/database-errors.ts'
import type { Database } from '../../platform/db/database.ts'
import { sharesOf } from '../../platform/db/shares.ts'
import type { Db } from '../../platform/db/sql.ts'
import { accessFailureByCode } from '../../platform/db/access-failure.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { traceFirstStep } from './trace-message.ts'
import type { Tracing } from '../../platform/tracing/tracing.port.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { markReadByAll } from './messages.sql.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'
import type { Message } from '../../model/records.schemas.ts'
import { createLockedLanes, createLockTurns } from './locked-lane.ts'
import { createSendTurns } from './send-turns.ts'
import { acceptSends, type AcceptResult, type SendDraft } from './accept.sql.ts'
export type { SendDraft } from './accept.sql.ts'
import type { MessageRow } from '../../model/message.ts'
import { notPublishable } from '../../model/publishing.ts'
import { renderMessage } from '../../model/message.ts'

const MAX_BATCH_SIZE = 256
const BATCH_CONCURRENCY = 2
/** While a batch is in flight, a second one starts only once this many sends are waiting. */
const MIN_CONCURRENT_BATCH_SIZE = 24
const MAX_WAITING = 2000
const WAIT_MS = 10_000

/** Validates sends, charges them and queues their messages. */
export type Acceptor = {
  /** Accepts a send and returns its message; throws the failure if it is refused (G39). */
  accept(db: Db, draft: SendDraft): Promise<Message>
  /** Accepts sends of one Project together or not at all. Throws for the first one that is refused. */
  acceptTogether(db: Db, drafts: [SendDraft, ...SendDraft[]]): Promise<Message[]>
  /**
   * Runs `work` in a transaction that accepts sends of a Project, or in the caller's. Transactions of
   * one Project are queued: each would otherwise hold a connection while it waits for the others' lock.
   */
  transact<T>(db: Db, projectId: string, work: (tx: Db) => Promise<T>): Promise<T>
  /**
   * Accepts drafts in the caller's transaction, each validated after those before it. Returns one result per draft; a
   * refused draft changes nothing.
   */
  acceptAll(tx: Db, drafts: SendDraft[]): Promise<(Message | Failure)[]>
}

/**
 * Creates the acceptor of sends. Concurrent sends are validated and written by one statement, and resolve after its
 * commit. A send in a caller's transaction (an Idempotency-Key) runs alone in that transaction.
 */
export function createAcceptor(deps: {
  root: Pick<Database, 'poolSize'> & Db
  /** Connection for batches. It pipelines: the next batch is already at the server when the current one commits. */
  pipeline: Db
  clock: Clock
  activity: PendingWork
  billing: BillingService
  events: Pick<EventsService, 'record'>
  conversations: Pick<ConversationsService, 'scheduleMerge'>
  publish: BusTopics['publish']
  metrics: Metrics
  tracing: Tracing
}): Acceptor {
  const { root, pipeline, clock, activity, billing, events, publish, metrics, tracing } = deps
  const { conversations } = deps

  const acceptedTotal = metrics.counter(
    'messages_accepted_total',
    'Messages accepted to be sent, by mode',
    ['mode'],
  )

  /** Like `acceptAll`; with `skipLocked`, null for drafts whose Project another transaction has locked. */
  async function acceptUnlocked(
    db: Db,
    drafts: SendDraft[],
    skipLocked: boolean,
  ): Promise<(Message | Failure | null)[]> {
    const now = new Date(clock.now())
    const limits = { day: billing.today(), dailyCap: DAILY_CAP, skipLocked }
    const accepted = await acceptSends(db, drafts, limits, now)
    const results = new Map(accepted.map((result) => [result.position, result]))
    const woken = new Set<string>()
    const outcomes = drafts.map((draft, index) => {
      const result = results.get(index)
      if (!result) return null
      if (result.refusal) return refuse(result.refusal)
      woken.add(draft.instanceId)
      return renderMessage(toRow(draft, result, now))
    })
    db.afterCommit(() => {
      for (const instanceId of woken) publish('outbound', { instanceId })
      const acceptedDrafts = drafts.filter((_, index) => isMessage(outcomes[index]))
      for (const { mode, instanceId: id, projectId, phone, lid } of acceptedDrafts) {
        acceptedTotal.labels(mode).inc()
        if (lid && !phone) conversations.scheduleMerge({ id, projectId, mode }, lid)
      }
      traceFirstStep({ tracing, clock }, 'message.accept', acceptedDrafts, now.getTime())
    })
    return outcomes
  }

  async function acceptAll(db: Db, drafts: SendDraft[]): Promise<(Message | Failure)[]> {
    const outcomes = await acceptUnlocked(db, drafts, false)
    return outcomes.map((answer, index) => {
      if (!answer) throw new Error(`acceptSends returned no row for message ${drafts[index]?.id}`)
      return answer
    })
  }

  function refuse(refusal: NonNullable<AcceptResult['refusal']>): Failure {
    switch (refusal) {
      case 'instance_not_found':
        return fail('not_found', (say) => say.instances.notFound)
      case 'conversation_not_found':
        return fail('not_found', (say) => say.conversations.notFound)
      case 'quoted_not_found':
        return fail('not_found', (say) => say.messages.quotedNotFound)
      case 'panel_not_enabled':
        return fail('payment_required', (say) => say.billing.panelNotEnabled)
      case 'subscription_required':
        return subscriptionRequired()
      case 'insufficient_credits':
        return insufficientCredits()
      case 'daily_cap':
        return billing.capReached()
      case 'not_connected':
        return fail('conflict', (say) => say.instances.notConnected, {
          reason: 'INSTANCE_NOT_CONNECTED',
        })
      case 'publishing_disabled':
        return fail('conflict', (say) => say.messages.publishingDisabled, {
          reason: 'PUBLISHING_DISABLED',
        })
      case 'not_publishable':
        return notPublishable()
      case 'not_on_network':
        return fail('conflict', (say) => say.messages.notOnNetwork, { reason: 'NOT_ON_NETWORK' })
      case 'outside_window':
        return fail('conflict', (say) => say.messages.errors.WINDOW_CLOSED, {
          reason: 'OUTSIDE_WINDOW',
        })
      default:
        return accessFailureByCode(refusal) ?? fail('internal', (say) => say.http.internal)
    }
  }

  const batcher = createBatcher<SendDraft, Message | Failure | null>({
    flush: (drafts) => acceptUnlocked(pipeline, drafts, true),
    isItemError,
    maxItems: MAX_BATCH_SIZE,
    keyOf: ({ projectId }) => projectId,
    maxInFlight: BATCH_CONCURRENCY,
    minConcurrentItems: MIN_CONCURRENT_BATCH_SIZE,
    activity,
  })

  const takeTurn = createSendTurns(clock, { maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })
  /** Accepts a send with those of other Projects; returns null if another transaction has locked its Project. */
  const acceptBatched = (draft: SendDraft) => takeTurn(draft.projectId, () => batcher.add(draft))

  const shares = sharesOf(root.poolSize)
  const lanes = createLockedLanes<SendDraft, Message | Failure>({
    turns: createLockTurns(clock, shares.lockedSends),
    maxItems: MAX_BATCH_SIZE,
    // Lock first, so that the statement sees what the previous holder changed, such as merged conversations.
    accept: (drafts) =>
      root.transaction(async (tx) => {
        const projectIds = [...new Set(drafts.map(({ projectId }) => projectId))]
        return acceptAll(await lockProjects(tx, projectIds), drafts)
      }),
    isItemError,
  })

  /**
   * Accepts sends of one Project in the caller's transaction. Sends from the panel also record the optional event for
   * webhooks that subscribe to it. Throws for a rejected send, which aborts the transaction.
   */
  async function acceptInside(unlocked: Db, drafts: [SendDraft, ...SendDraft[]]) {
    const tx = await lockProjects(unlocked, [drafts[0].projectId])
    const accepted = (await acceptAll(tx, drafts)).map((answer) => {
      if (answer instanceof Error) throw answer
      return answer
    })
    if (drafts[0].origin !== 'panel') return accepted
    // When a scheduled message leaves, the conversation is not being read.
    const isAttended = drafts[0].options.sentBy !== undefined
    const answered = new Set(accepted.map((message) => message.conversationId))
    for (const conversationId of isAttended ? answered : []) await markReadByAll(tx, conversationId)
    const written = accepted.map((message, index) => {
      const { projectId, mode, instanceId, waMessageId } = drafts[index] ?? drafts[0]
      const event = { name: 'message.received' as const, projectId, mode, instanceId }
      return { ...event, data: { waMessageId, message }, optIn: 'outbound' as const }
    })
    await events.record(tx, written)
    return accepted
  }

  const sendSemaphore = createFairSemaphore({
    clock,
    ...shares.sends,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
  const transact: Acceptor['transact'] = (db, projectId, work) =>
    db === root ? sendSemaphore(projectId, () => root.transaction(work)) : work(db)

  const acceptTogether: Acceptor['acceptTogether'] = (db, drafts) =>
    transact(db, drafts[0].projectId, (tx) => acceptInside(tx, drafts))

  return {
    acceptAll,
    acceptTogether,
    transact,
    async accept(db, draft) {
      if (db === root && draft.origin !== 'panel') {
        // Queue behind the waiting sends of the Project, so that sends keep their order.
        const answer = lanes.isOpen(draft.projectId)
          ? await lanes.add(draft)
          : ((await acceptBatched(draft)) ?? (await lanes.add(draft)))
        if (answer instanceof Error) throw answer
        return answer
      }
      const [accepted] = await acceptTogether(db, [draft])
      if (!accepted) throw new Error(`message ${draft.id} was neither accepted nor refused`)
      return accepted
    },
  }
}

const isMessage = (answer: Message | Failure | null | undefined): answer is Message =>
  answer != null && !(answer instanceof Error)

/** Builds the row that the statement wrote, to avoid reading it back. */
function toRow(draft: SendDraft, accepted: AcceptResult, now: Date): MessageRow {
  return {
    id: draft.id,
    projectId: draft.projectId,
    mode: draft.mode,
    instanceId: draft.instanceId,
    conversationId: accepted.conversationId ?? '',
    waMessageId: draft.waMessageId,
    direction: 'outbound',
    origin: draft.origin,
    sentBy: draft.options.sentBy ?? null,
    type: draft.type as MessageRow['type'],
    status: 'queued',
    chatId: accepted.chatId ?? '',
    chatType: accepted.chatType ?? draft.chatType,
    chatName: accepted.chatName,
    chatPhone: accepted.phone,
    chatLid: accepted.lid,
    senderPhone: accepted.fromPhone,
    senderLid: accepted.fromLid,
    senderName: accepted.fromName,
    content: draft.content as MessageRow['content'],
    text: draft.text,
    quoted: accepted.quoted,
    mentions: draft.mentions,
    metadata: draft.metadata,
    clientReference: draft.clientReference,
    campaignId: draft.campaignId,
    media: draft.media,
    pollVotes: null,
    error: null,
    createdAt: now,
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    editedAt: null,
    deletedAt: null,
    pinnedUntil: null,
    starred: null,
    kept: null,
  }
}
