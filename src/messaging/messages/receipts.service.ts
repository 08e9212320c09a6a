import { lockFreeProjects, lockProjects } from '../../company/projects/projects.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { EventDraft, EventsService } from '../../events/events.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import { isItemError } from '../../platform/db/database-errors.ts'
import type { Fence } from '../../instances/fence.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import { createBatcher } from '../../kernel/batcher.ts'
import type { FairSemaphore } from '../../kernel/fair-semaphore.ts'
import type { Receipt } from '../../networks/network-events.port.ts'
import type { MessageStatus } from '../../model/vocabulary.ts'
import type { InboundChanges } from './inbound-changes.service.ts'
import type { MessageListener } from './message-listener.ts'
import { createLockedLanes } from './locked-lane.ts'
import { lockQueued, type FailingMessage } from './outbox.sql.ts'
import {
  applyReceipts,
  findProjectsOf,
  type AdvancedMessage,
  type ReceiptInput,
} from './outbound.sql.ts'
import { renderError } from '../../model/message.ts'

type ChangedMessage = AdvancedMessage & { status: MessageStatus }
const isRefused = ({ status }: AdvancedMessage) => status === 'refused'

const MAX_BATCH_SIZE = 256
/** The result for a receipt whose Project is locked. */
type Locked = { projectId: string }

type QueuedReceipt = { instanceId: string; receipt: Receipt; fromNetwork: boolean }

/** Records the receipts of sent messages. */
export type ReceiptRecorder = {
  /** Applies receipts that Recado itself creates, such as timeouts. Resolves after the commit. */
  apply(instanceId: string, receipts: Receipt[]): Promise<void>
  /** Applies receipts that this node's session received. Throws OwnershipLost if another node owns the instance. */
  applyFromNetwork(instanceId: string, receipts: Receipt[]): Promise<void>
  /**
   * Locks these messages and fails those that `findAgain` still returns;
   * the others have been claimed, sent or ended since they were found.
   */
  failWaiting(
    messages: FailingMessage[],
    findAgain: (tx: Db, among: readonly string[]) => Promise<FailingMessage[]>,
  ): Promise<void>
}

/**
 * Creates the recorder of receipts. It writes status, history, refunds and events in one transaction for all receipts
 * that arrive together, on any instance. Failures that a network reports, which are refunded, wait apart from the others
 * while another transaction has locked their Project.
 */
export function createReceiptRecorder(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  billing: BillingService
  events: EventsService
  fence: Fence
  changes: Pick<InboundChanges, 'recordRefusedReceipt'>
  listener: MessageListener
  metrics: Metrics
  /** The turns of receipts whose Project is locked. */
  lockTurns: FairSemaphore
}): ReceiptRecorder {
  const { db, clock, activity, billing, events, fence, changes, listener, lockTurns } = deps

  const failed = deps.metrics.counter('messages_failed_total', 'Messages that failed, by code', [
    'code',
  ])

  /**
   * Locks the balances of Projects whose messages fail, before their messages: the order of all writers. Returns the
   * Projects of those instances whose balance another transaction has locked; with `waits`, waits for them instead.
   */
  async function lockBalances(
    tx: Db,
    instanceIds: string[],
    waits: boolean,
  ): Promise<Map<string, Locked>> {
    const lockedOf = new Map<string, Locked>()
    if (instanceIds.length === 0) return lockedOf
    const found = await findProjectsOf(tx, [...new Set(instanceIds)])
    const projectIds = [...new Set(found.map(({ projectId }) => projectId))]
    if (waits) {
      await lockProjects(tx, projectIds)
      return lockedOf
    }
    const { locked: ours } = await lockFreeProjects(tx, projectIds)
    for (const { instanceId, projectId } of found) {
      // Behind those that wait already.
      if (!ours.has(projectId) || lanes.isOpen(projectId)) lockedOf.set(instanceId, { projectId })
    }
    return lockedOf
  }

  async function write(tx: Db, batch: QueuedReceipt[]): Promise<void> {
    const inputs: ReceiptInput[] = []
    /** The receipt of each input. */
    const origins: QueuedReceipt[] = []
    for (const entry of batch) {
      for (const waMessageId of entry.receipt.waMessageIds) {
        inputs.push(toInput(entry, waMessageId))
        origins.push(entry)
      }
    }
    const advanced = await applyReceipts(tx, inputs)
    for (const { position, waMessageId } of advanced.filter(isRefused)) {
      const origin = origins[position]
      if (origin) changes.recordRefusedReceipt(origin.instanceId, waMessageId, origin.receipt)
    }
    const moved = advanced.filter((message): message is ChangedMessage => !isRefused(message))
    const refunds = advanced
      .filter((message) => message.refunded > 0)
      .map(({ projectId, id: messageId, refunded: amount }) => ({ projectId, messageId, amount }))
    if (refunds.length > 0) await billing.refund(tx, refunds)
    for (const { position, status } of moved) {
      if (status === 'failed')
        failed.labels(origins[position]?.receipt.error?.code ?? 'UNKNOWN').inc()
    }
    await listener.onStatusChanged(tx, moved)
    await events.record(tx, toEvents(moved, origins))
  }

  /**
   * Records receipts, except failures whose Project another transaction has locked, and what follows them for the same
   * message: for these it returns the Project.
   */
  async function store(batch: QueuedReceipt[], waits: boolean): Promise<(Locked | null)[]> {
    const isFailure = ({ receipt }: QueuedReceipt) => receipt.status === 'failed'
    const idsOf = (receipts: QueuedReceipt[]) => receipts.map(({ instanceId }) => instanceId)
    return db.transaction(async (tx) => {
      const lockedOf = await lockBalances(tx, idsOf(batch.filter(isFailure)), waits)
      const failing = new Set<string>()
      const locks = batch.map((entry) => {
        const lock = lockedOf.get(entry.instanceId)
        if (!lock) return null
        const keys = entry.receipt.waMessageIds.map((id) => `${entry.instanceId}/${id}`)
        if (isFailure(entry)) for (const key of keys) failing.add(key)
        return keys.some((key) => failing.has(key)) ? lock : null
      })
      const free = batch.filter((_, index) => locks[index] === null)
      if (free.length > 0) {
        await fence.lockOwnership(tx, idsOf(free.filter(({ fromNetwork }) => fromNetwork)))
        await write(tx, free)
      }
      return locks
    })
  }

  const failEach: ReceiptRecorder['failWaiting'] = async (messages, findAgain) => {
    const ids = messages.map(({ id }) => id)
    try {
      await db.transaction(async (tx) => {
        await lockBalances(
          tx,
          messages.map(({ instanceId }) => instanceId),
          true,
        )
        await lockQueued(tx, ids)
        const failing = await findAgain(tx, ids)
        const at = clock.now()
        await write(
          tx,
          failing.map((message) => failureOf(message, at)),
        )
      })
    } catch (error) {
      if (messages.length === 1 || !isItemError(error)) throw error
      // A failure that cannot be stored must not prevent the others.
      const errors: unknown[] = []
      for (const message of messages)
        await failEach([message], findAgain).catch((reason: unknown) => errors.push(reason))
      if (errors.length > 0)
        throw new AggregateError(errors, `cannot fail ${errors.length} messages`, { cause: error })
    }
  }

  const batcher = createBatcher({
    flush: (batch: QueuedReceipt[]) => store(batch, false),
    maxItems: MAX_BATCH_SIZE,
    keyOf: ({ instanceId }) => instanceId,
    maxInFlight: 1,
    isItemError,
    activity,
  })
  const lanes = createLockedLanes<Locked & { entry: QueuedReceipt }, Locked | null>({
    turns: lockTurns,
    maxItems: MAX_BATCH_SIZE,
    accept: (waiting) =>
      store(
        waiting.map(({ entry }) => entry),
        true,
      ),
    isItemError,
  })
  async function addOne(entry: QueuedReceipt): Promise<void> {
    const locked = await batcher.add(entry)
    if (locked) await activity.run(() => lanes.add({ ...locked, entry }))
  }
  async function add(instanceId: string, receipts: Receipt[], fromNetwork: boolean): Promise<void> {
    await Promise.all(receipts.map((receipt) => addOne({ instanceId, receipt, fromNetwork })))
  }
  return {
    apply: (instanceId, receipts) => add(instanceId, receipts, false),
    applyFromNetwork: (instanceId, receipts) => add(instanceId, receipts, true),
    failWaiting: failEach,
  }
}

function failureOf(message: FailingMessage, at: number): QueuedReceipt {
  const { instanceId, waMessageId, chatId, code } = message
  const error = { code, retryable: true }
  const receipt: Receipt = {
    waMessageIds: [waMessageId],
    chatId,
    status: 'failed',
    at,
    party: null,
    error,
  }
  return { instanceId, receipt, fromNetwork: false }
}

function toInput({ instanceId, receipt }: QueuedReceipt, waMessageId: string): ReceiptInput {
  const { chatId, status, at, party, error, wasAccepted = false } = receipt
  return {
    instanceId,
    waMessageId,
    chatId,
    status,
    at: new Date(at),
    partyPhone: party?.phone ?? null,
    partyLid: party?.lid ?? null,
    partyName: party?.name ?? null,
    error,
    wasAccepted,
  }
}

/** Returns one event per receipt, with the messages that it changed. Events for `sent` are opt-in. */
function toEvents(advanced: ChangedMessage[], origins: QueuedReceipt[]): EventDraft[] {
  const byReceipt = new Map<QueuedReceipt, ChangedMessage[]>()
  for (const message of advanced) {
    const origin = origins[message.position]
    if (!origin) continue
    byReceipt.set(origin, [...(byReceipt.get(origin) ?? []), message])
  }
  return [...byReceipt].flatMap(([{ receipt, instanceId }, messages]) => {
    const [first] = messages
    const { status } = receipt
    if (!first) return []
    const { projectId, mode, chatId: id, chatType: type, chatName: name } = first
    const data = {
      waMessageIds: messages.map((message) => message.waMessageId),
      status,
      at: new Date(receipt.at).toISOString(),
      chat: { id, type, name },
      party: receipt.party,
      clientReferences: messages.flatMap((message) => message.clientReference ?? []),
      error: renderError(receipt.error),
    }
    const optIn = status === 'sent' ? { optIn: 'sent' as const } : {}
    return [{ name: 'message.status' as const, projectId, mode, instanceId, data, ...optIn }]
  })
}
