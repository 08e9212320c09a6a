import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import type { CallsService } from '../calls/calls.service.ts'
import type { ContactsService } from '../contacts/contacts.service.ts'
import type { NumbersService } from '../contacts/numbers.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { GroupsService } from '../groups/groups.service.ts'
import type { Metrics } from '../../platform/metrics/metrics.ts'
import type { Fence } from '../../instances/fence.service.ts'
import type { NetworkEventHandler } from '../../instances/network-event-handler.port.ts'
import type { OpenInstance } from '../../instances/open-sessions.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FairSemaphore } from '../../kernel/fair-semaphore.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { ChangeKind } from '../../kernel/change-kind.ts'
import { parseRecipient, phoneRecipient } from '../../model/recipient.ts'
import { toStorable } from '../../kernel/text.ts'
import type { LabelsService } from '../labels/labels.service.ts'
import type { InboundChanges } from '../messages/inbound-changes.service.ts'
import type { HistoryRecorder } from '../messages/record-history.service.ts'
import type { ReceiptRecorder } from '../messages/receipts.service.ts'
import type { ReceivedRecorder } from '../messages/received.service.ts'
import type { MessagesService } from '../messages/messages.service.ts'
import type { Pacer } from '../messages/pace.service.ts'
import type { ProfilesService } from '../profiles/profiles.service.ts'
import type {
  NetworkEvent,
  InboundMessage,
  ReportedNetworkEvent,
} from '../../networks/network-events.port.ts'
import type { NetworkSession } from '../../networks/network.port.ts'
import { markEventsProcessed, deleteProcessedEvents } from './inbound.sql.ts'
import { createIsolatingStore } from './store-isolated.ts'

/** Longer than any network keeps redelivering unacknowledged events. */
const PROCESSED_EVENT_RETENTION_MS = 45 * 24 * 3600_000

/** The data that open panels reload after network events without a webhook event. */
const CHANGE_BY_EVENT_KIND: { [Kind in NetworkEvent['kind']]?: ChangeKind } = {
  identity: 'contacts',
  picture: 'conversations',
  number: 'conversations',
  // Later changes of a call have no event that would report them.
  call: 'calls',
}

/** Creates the dispatcher that routes the events of a session to the services that record them. */
export function createInboundDispatcher(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  fence: Fence
  turns: FairSemaphore
  received: ReceivedRecorder
  receipts: ReceiptRecorder
  changes: InboundChanges
  messages: MessagesService
  contacts: Pick<ContactsService, 'recordIdentityChange'>
  numbers: Pick<NumbersService, 'learn'>
  conversations: ConversationsService
  groups: GroupsService
  labels: LabelsService
  calls: CallsService
  profiles: ProfilesService
  pacer: Pick<Pacer, 'releaseStartedChats'>
  history: HistoryRecorder
  sessionOf: (instanceId: string) => NetworkSession | null
  publish: BusTopics['publish']
  metrics: Metrics
  onError: (error: unknown, task?: string) => void
}): NetworkEventHandler & { sweep(db: Db): Promise<void> } {
  const {
    db,
    clock,
    activity,
    fence,
    turns,
    received,
    receipts,
    changes,
    messages,
    conversations,
  } = deps
  const storeIsolated = createIsolatingStore(deps)
  const { contacts, numbers, groups, labels, calls, profiles, pacer, history, sessionOf } = deps
  const { publish, onError } = deps

  async function receiveMessages(instance: OpenInstance, arrived: InboundMessage[]): Promise<void> {
    const { settings } = instance
    const wanted = settings.ignoreGroups
      ? arrived.filter((message) => message.chatType !== 'group')
      : arrived
    const session = sessionOf(instance.id)
    const download = settings.downloadMedia && session ? session.download : null
    await received.receive(instance, wanted, download)
    // Also of those stored before: the network repeats a batch until all of this is done.
    const ids = (some: InboundMessage[]) => some.map(({ waMessageId }) => waMessageId)
    if (settings.pace !== 'off') await pacer.releaseStartedChats(db, instance.id, ids(wanted))
    const inbound = wanted.filter(({ fromMe }) => !fromMe)
    if (!settings.readMessages || inbound.length === 0) return
    const scope = { projectId: instance.projectId, mode: instance.mode, keyId: null }
    await messages.markReceived(db, scope, instance.id, ids(inbound))
  }

  /** Records one network event; returns a callback to run after commit, or null. */
  async function record(
    tx: LockedDb,
    instance: OpenInstance,
    happening: NetworkEvent,
  ): Promise<(() => Promise<void>) | null> {
    switch (happening.kind) {
      case 'edited':
      case 'deleted':
      case 'pinned':
      case 'kept': {
        const isGroup = parseRecipient(happening.chatId)?.chatType === 'group'
        const isExpected = !isGroup || !instance.settings.ignoreGroups
        await changes.applyOrDefer(tx, instance, happening, isExpected)
        return null
      }
      case 'starred':
        await changes.applyStar(tx, instance, happening)
        return null
      case 'contact':
        await conversations.upsertContacts(tx, [{ instance, party: happening.party }])
        return null
      case 'number': {
        const { typed, phone } = happening
        await numbers.learn(tx, instance, typed, phone)
        const into = { ...phoneRecipient(phone), name: null }
        await conversations.merge(tx, instance, phoneRecipient(typed).chatId, into)
        return null
      }
      case 'identity':
        await contacts.recordIdentityChange(tx, instance.id, happening.party, happening.at)
        return null
      case 'picture':
        await profiles.forgetPicture(tx, instance.id, happening.chatId)
        return null
      case 'group':
        await groups.storeGroup(tx, instance, happening.group)
        return null
      case 'group_changed':
        await groups.applyTextChange(tx, instance, happening)
        return null
      case 'participants':
        await groups.applyParticipantChange(tx, instance, happening)
        return null
      case 'label':
        await labels.applyLabel(tx, instance, happening)
        return null
      case 'label_association':
        await labels.applyAssociation(tx, instance, happening)
        return null
      case 'call': {
        const call = await calls.recordCall(tx, instance, happening)
        const refused = call?.status === 'ringing' && instance.settings.rejectCalls
        if (!refused) return null
        return async () => {
          await calls.autoReject(db, instance, call)
          const { projectId, mode } = instance
          publish('changes', { projectId, mode, what: 'calls' })
        }
      }
    }
  }

  /** Drops the events that were already processed; those without an id always pass. */
  async function dropProcessed(
    tx: Db,
    instance: OpenInstance,
    reported: ReportedNetworkEvent[],
  ): Promise<ReportedNetworkEvent[]> {
    const ids = reported.flatMap(({ id }) => id ?? [])
    if (ids.length === 0) return reported
    const fresh = await markEventsProcessed(tx, instance.id, ids, new Date(clock.now()))
    return reported.filter(({ id }) => id === null || fresh.delete(id))
  }

  async function recordEvents(
    instance: OpenInstance,
    reported: ReportedNetworkEvent[],
  ): Promise<void> {
    const next = await turns(instance.projectId, () =>
      db.transaction(async (unlocked) => {
        const tx = await lockProjects(unlocked, [instance.projectId])
        await fence.lockOwnership(tx, [instance.id])
        const after: (() => Promise<void>)[] = []
        for (const happening of await dropProcessed(tx, instance, reported)) {
          const work = await record(tx, instance, happening)
          if (work) after.push(work)
          const what = CHANGE_BY_EVENT_KIND[happening.kind]
          const { projectId, mode } = instance
          if (what) tx.afterCommit(() => publish('changes', { projectId, mode, what }))
        }
        return after
      }),
    )
    // In the background, because an adapter may send nothing before these events are recorded. It may fail harmlessly: a
    // call that has stopped ringing cannot be rejected.
    for (const work of next)
      void activity
        .run(work)
        .catch((error: unknown) =>
          onError(error, `working after events received by instance ${instance.id}`),
        )
  }

  return {
    onMessages: (instance, messages) =>
      storeIsolated(instance.id, toStorable(messages), (some) => receiveMessages(instance, some)),
    async onHistory(instance, shared) {
      const wanted = toStorable(shared).filter(
        ({ chatType }) => chatType !== 'group' || !instance.settings.ignoreGroups,
      )
      await storeIsolated(instance.id, wanted, (some) => history.record(instance, some))
    },
    onReceipts: (instance, reported) =>
      storeIsolated(instance.id, toStorable(reported), (some) =>
        receipts.applyFromNetwork(instance.id, some),
      ),
    onEvents: (instance, reported) =>
      storeIsolated(instance.id, toStorable(reported), (some) => recordEvents(instance, some)),

    /** Deletes the ids of processed events that are too old to be redelivered. */
    sweep: (patient) =>
      deleteProcessedEvents(patient, new Date(clock.now() - PROCESSED_EVENT_RETENTION_MS)),
  }
}
