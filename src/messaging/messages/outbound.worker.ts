import { lockProjects } from '../../company/projects/projects.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { NumbersService } from '../contacts/numbers.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import { always, UNWATCHED_POLL_MS, type DueWatch } from '../../platform/db/due-watch.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { OpenSessions } from '../../instances/open-sessions.service.ts'
import { messageSubject, type Tracing } from '../../platform/tracing/tracing.port.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FairSemaphore } from '../../kernel/fair-semaphore.ts'
import { withDeadline } from '../../kernel/deadline.ts'
import { random } from '../../kernel/ids.ts'
import { createLoop } from '../../kernel/loop.ts'
import { parseRecipient, phoneRecipient } from '../../model/recipient.ts'
import type { MediaService } from '../../media/media.service.ts'
import {
  findAudience,
  MAX_AUDIENCE,
  readClaimed,
  type ClaimedMessage as StoredClaim,
} from './outbound.sql.ts'
import {
  anyOutboxDue,
  claimOutbox,
  deleteEndedEntries,
  requeueOutbound,
  requeueUnacknowledged,
} from './outbox.sql.ts'
import type { Pacer } from './pace.service.ts'
import { toOutbound } from './to-outbound.ts'

/** A message that the network does not acknowledge within this time is sent again with the same id (G27). */
const ACK_TIMEOUT_MS = 60_000
/** After this time a batch starts no further messages; the rest is claimed again instead of waiting behind slow ones. */
const BATCH_BUDGET_MS = 30_000
/** Timeout of a batch, after which its session is no longer awaited, so that it cannot block its instance. */
const BATCH_TIMEOUT_MS = 180_000
/** Delay before a failed batch is retried. */
const RETRY_DELAY_MS = 1000
const MAX_BATCH_SIZE = 128
/** Maximum messages of one claim, so that it stays short however many instances come back with messages that wait. */
const MAX_CLAIMED = 2048

/** A running outbound worker; `stop` lets the polls in progress finish. */
export type OutboundWorker = { stop(): Promise<void> }
type Sending = ReturnType<OpenSessions['connected']>[number]
/** `isFirst` means that it has not been claimed before. */
type ClaimedMessage = StoredClaim & { isFirst: boolean }

/**
 * Sends queued messages through the sessions of this node: per instance one batch at a time, in the order of
 * acceptance, and one message at a time if the instance has a delay between
 * sends. Messages that start a chat may wait for the instance's pace.
 */
export function startOutboundWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  dueWatch: DueWatch
  connections: OpenSessions
  conversations: ConversationsService
  numbers: NumbersService
  media: MediaService
  pacer: Pacer
  turns: FairSemaphore
  tracing: Tracing
  onError: (error: unknown, task?: string) => void
}): OutboundWorker {
  const { db, clock, activity, bus, dueWatch, connections, tracing, onError } = deps
  const { conversations, numbers, media, pacer, turns } = deps
  /** Instances with a batch in flight, or in the delay between two messages. */
  const busy = new Set<string>()
  /** Instances whose session was connected at the last poll. */
  let previouslyConnected = new Set<string>()

  /** Makes messages that a closed session left unacknowledged, here or on a dead node, due before `ACK_TIMEOUT_MS`. */
  async function requeueUnacknowledgedOf(open: string[]): Promise<void> {
    const opened = open.filter((id) => !previouslyConnected.has(id))
    // Set before the statement, so that an instance whose send fails while it runs is removed and requeued again.
    previouslyConnected = new Set(open)
    if (opened.length === 0) return
    await requeueUnacknowledged(db, connections.owner, opened, new Date(clock.now())).catch(
      (error) => {
        previouslyConnected.clear()
        throw error
      },
    )
  }

  /**
   * Readdresses messages to the network's form of their number, if it differs, and merges their
   * conversations. The form may have been unknown when the messages were accepted.
   */
  async function resolveAddresses(claimed: ClaimedMessage[]): Promise<ClaimedMessage[]> {
    return Promise.all(
      claimed.map(async (message) => {
        const { instanceId, projectId, mode, chatId, chatType } = message
        const typed = parseRecipient(chatId)?.phone
        if (chatType !== 'direct' || !typed) return message
        const { phone } = await numbers.resolve(
          { projectId, mode, instanceId, keyId: null },
          typed,
          true,
        )
        if (phone === typed) return message
        const into = { ...phoneRecipient(phone), name: null }
        await turns(projectId, () =>
          db.transaction(async (tx) => {
            const locked = await lockProjects(tx, [projectId])
            await conversations.merge(locked, { id: instanceId, projectId, mode }, chatId, into)
          }),
        )
        return { ...message, chatId: into.chatId }
      }),
    )
  }

  /** Sends a batch of one instance; deferred messages become due again, each at its own time. */
  async function send(instanceId: string, claimed: ClaimedMessage[]): Promise<void> {
    const session = connections.session(instanceId)
    if (!session) return requeue(claimed, clock.now())
    const posts = claimed.some(({ chatType }) => chatType === 'status')
    const audience = posts ? await findAudience(db, instanceId, MAX_AUDIENCE) : []
    const addressed = await resolveAddresses(claimed)
    const outbound = addressed.map((message) => toOutbound(message, audience, media))
    const sending = session.send(outbound, clock.now() + BATCH_BUDGET_MS)
    const late = () =>
      new Error(`batch of instance ${instanceId} did not end within ${BATCH_TIMEOUT_MS} ms`)
    const deferred = await withDeadline(clock, BATCH_TIMEOUT_MS, sending, late)
    if (deferred.length === 0) return
    const byId = new Map(deferred.map((one) => [one.waMessageId, one]))
    await requeueOutbound(
      db,
      connections.owner,
      claimed.flatMap(({ instanceId: id, seq, waMessageId, isFirst }) => {
        const one = byId.get(waMessageId)
        if (!one) return []
        const notAttempted = (one.notAttempted ?? false) && isFirst
        return [{ instanceId: id, seq, dueAt: new Date(one.retryAt), notAttempted }]
      }),
    )
  }

  const requeue = (claimed: ClaimedMessage[], at: number) =>
    requeueOutbound(
      db,
      connections.owner,
      claimed.map(({ instanceId, seq }) => ({
        instanceId,
        seq,
        dueAt: new Date(at),
        notAttempted: false,
      })),
    )

  async function dispatch(
    { id: instanceId, delay, pace }: Sending,
    claimed: ClaimedMessage[],
  ): Promise<void> {
    let anySent = true
    const startedAt = clock.now()
    try {
      const instance = { id: instanceId, pace, single: delay.maxMs > 0 }
      const sendable = await pacer.selectSendable(db, connections.owner, instance, claimed)
      anySent = sendable.length > 0
      if (anySent) await send(instanceId, sendable)
      trace(sendable, startedAt, null)
    } catch (error) {
      trace(claimed, startedAt, 'send')
      const ids = claimed.map(({ id }) => id).slice(0, 5)
      onError(
        error,
        `send batch: instance ${instanceId}, ${claimed.length} messages: ${ids.join(', ')}`,
      )
      // The network may have accepted some of them; it deduplicates by id, so sending all again is safe.
      await requeue(claimed, clock.now() + RETRY_DELAY_MS).catch(() =>
        previouslyConnected.delete(instanceId),
      )
    } finally {
      // Nothing was sent if every message waits for a turn.
      const restMs =
        anySent && delay.maxMs > 0 ? delay.minMs + random() * (delay.maxMs - delay.minMs) : 0
      if (restMs > 0) clock.after(restMs, () => release(instanceId))
      else release(instanceId)
    }
  }

  /** Records the duration of a batch as that of each of its messages. */
  function trace(claimed: ClaimedMessage[], startedAt: number, failure: string | null): void {
    if (!tracing.enabled) return
    const endedAt = clock.now()
    for (const { waMessageId, instanceId } of claimed) {
      const subject = messageSubject(instanceId, waMessageId)
      const attributes = { 'recado.instance_id': instanceId, 'recado.batch': claimed.length }
      const step = { name: 'network.send', kind: 'client', subject } as const
      tracing.record({ ...step, startedAt, endedAt, attributes, failure })
    }
  }

  function release(instanceId: string): void {
    busy.delete(instanceId)
    loop.wake()
  }

  async function claimDue(claim: Parameters<typeof claimOutbox>[1], now: number) {
    const entries = await claimOutbox(db, claim, new Date(now))
    if (entries.length === 0) return { claimed: [], dropped: false }
    const first = new Map(entries.map(({ messageId, isFirst }) => [messageId, isFirst]))
    const messages = await readClaimed(
      db,
      entries.map(({ messageId }) => messageId),
    )
    const claimed = messages.map((one) => ({ ...one, isFirst: first.get(one.id) ?? false }))
    const dropped = claimed.length < entries.length
    if (dropped) await deleteEndedEntries(db, entries)
    return { claimed, dropped }
  }

  async function claim(): Promise<boolean> {
    const connected = connections.connected()
    await requeueUnacknowledgedOf(connected.map(({ id }) => id))
    const free = connected.filter(({ id }) => !busy.has(id))
    if (free.length === 0) return false
    const now = clock.now()
    const instances = free.map(toClaim)
    const retryAt = new Date(now + ACK_TIMEOUT_MS)
    const { claimed: rows, dropped } = await claimDue(
      { owner: connections.owner, instances, most: MAX_CLAIMED, retryAt },
      now,
    ).catch((error) => {
      // The claim may have been committed without its messages reaching a session; requeue them at the next poll.
      previouslyConnected.clear()
      throw error
    })
    const byInstance = Map.groupBy(rows, (row) => row.instanceId)
    for (const instance of free) {
      const claimed = byInstance.get(instance.id)
      if (!claimed) continue
      busy.add(instance.id)
      void activity.run(() => dispatch(instance, claimed))
    }
    // The dropped rows may have hidden due messages, and a full claim those of other instances.
    return dropped || rows.length === MAX_CLAIMED
  }

  const loop = createLoop({
    task: 'handing messages to the network',
    clock,
    activity,
    everyMs: () => UNWATCHED_POLL_MS,
    run: claim,
    onError,
  })
  const unsubscribe = [
    bus.subscribe('outbound', loop.wake),
    dueWatch.watch((now) => {
      const connected = connections.connected()
      // A session that reconnected has unacknowledged messages, even if no claim ran in between.
      previouslyConnected = previouslyConnected.intersection(new Set(connected.map(({ id }) => id)))
      if (connected.length > previouslyConnected.size) return always(db)
      const free = connected.filter(({ id }) => !busy.has(id))
      return free.length === 0 ? null : anyOutboxDue(db, free.map(toClaim), now)
    }, loop.wake),
  ]
  return {
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
    },
  }
}

function toClaim({ id, delay, pace }: Sending) {
  // With a pace, the message to send is chosen after the claim.
  const most = delay.maxMs > 0 && pace === 'off' ? 1 : MAX_BATCH_SIZE
  return { id, most, paced: pace !== 'off' }
}
