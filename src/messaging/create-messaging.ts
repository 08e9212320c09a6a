import type { Company } from '../company/create-company.ts'
import type { EventsService } from '../events/events.service.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { Instances } from '../instances/create-instances.ts'
import type { DeferredFiles } from '../media/deferred-files.service.ts'
import type { MediaService } from '../media/media.service.ts'
import { startMediaWorker } from '../media/media.worker.ts'
import type { VirtualPhones } from '../networks/virtual-phones.port.ts'
import type { Platform } from '../platform/create-platform.ts'
import { sharesOf } from '../platform/db/shares.ts'
import { createCallsService } from './calls/calls.service.ts'
import { createAddressBookService } from './address-book/address-book.service.ts'
import { createBlockedService } from './contacts/blocked.service.ts'
import { createContactsService } from './contacts/contacts.service.ts'
import { createNotesService } from './notes/notes.service.ts'
import { createNumbersService } from './contacts/numbers.service.ts'
import { createMergeFinisher } from './conversations/finish-merges.ts'
import { createConversationsService } from './conversations/conversations.service.ts'
import { createPresenceService } from './conversations/presence.service.ts'
import { createResponseTimesService } from './conversations/response-times.service.ts'
import { createGroupsService } from './groups/groups.service.ts'
import { createJoinRequestsService } from './groups/join-requests.service.ts'
import { createInboundDispatcher } from './inbound/inbound.service.ts'
import { createNetworkTurns } from './inbound/network-turns.ts'
import { createLabelsService } from './labels/labels.service.ts'
import { createAcceptor } from './messages/accept-sends.service.ts'
import { createFetchListener } from './messages/fetched-media.ts'
import { createHistoryService } from './messages/history.service.ts'
import { createInboundChanges } from './messages/inbound-changes.service.ts'
import type { MessageListener } from './messages/message-listener.ts'
import { createLockTurns } from './messages/locked-lane.ts'
import { createMessagesService } from './messages/messages.service.ts'
import { createPacer } from './messages/pace.service.ts'
import { startOutboundWorker } from './messages/outbound.worker.ts'
import { startOverdueWorker } from './messages/overdue.worker.ts'
import { createHealthService } from './health/health.service.ts'
import { createProfilesService } from './profiles/profiles.service.ts'
import { createQuickRepliesService } from './quick-replies/quick-replies.service.ts'
import { createHistoryRecorder } from './messages/record-history.service.ts'
import { createReceiptRecorder } from './messages/receipts.service.ts'
import { createReceivedRecorder } from './messages/received.service.ts'
import { startStuckWorker } from './messages/stuck.worker.ts'
import { createPhoneCollectionsService } from './phones/phone-collections.service.ts'
import { createPhonesService } from './phones/phones.service.ts'
import { createSchedulesService } from './schedules/schedules.service.ts'
import { startSchedulesWorker } from './schedules/schedules.worker.ts'
import { createTemplatesService } from './templates/templates.service.ts'
import { withApiFailures } from './phones/with-api-failures.ts'

/**
 * Creates the `messaging` module: messages, contacts and chats, and the workers that move messages between the API and
 * the networks. The workers stop when `stack` is disposed.
 */
export function createMessaging(
  stack: AsyncDisposableStack,
  deps: {
    platform: Platform
    company: Company
    events: EventsService
    instances: Instances
    media: MediaService
    files: DeferredFiles
    /** The virtual phones of the simulated network. */
    phones: VirtualPhones
    /** Whether instances of this mode run on the simulator. */
    usesSimulator: (mode: Mode) => boolean
    /** Notified of every received message and every change of a message's status. */
    listener: MessageListener
    /** Opens no sessions, so accepted messages stay queued. For benchmarks that measure only acceptance. */
    holdNetwork: boolean
  },
) {
  const { platform, company, events, media, files, usesSimulator: simulates, listener } = deps
  const { db, clock, activity, bus, dueWatch, metrics, tracing, logger, onError } = platform
  const { audit, billing, projects, members, authenticator } = company
  const { instances, commander, fence, openSessions: connections } = deps.instances
  const { publish } = bus
  const contacts = createContactsService({ clock, events, instances, projects })
  const numbers = createNumbersService({
    db,
    clock,
    activity,
    instances,
    commander,
    projects,
    onError,
  })
  const merges = createMergeFinisher({ activity, onError })
  const conversations = createConversationsService({
    clock,
    instances,
    contacts,
    audit,
    members,
    db,
    merges,
    activity,
    onError,
  })
  const acceptor = createAcceptor({
    root: db,
    pipeline: db.pipeline,
    clock,
    activity,
    billing,
    events,
    conversations,
    publish,
    metrics,
    tracing,
  })
  const addressBook = createAddressBookService({
    audit,
    instances,
    projects,
    contacts,
    conversations,
  })
  const notes = createNotesService({ clock, audit, conversations, members })
  const quickReplies = createQuickRepliesService({ clock, audit })
  const templates = createTemplatesService({ instances, commander, audit })
  const chatDeps = { clock, events, instances, commander, conversations }
  const groups = createGroupsService({ ...chatDeps, numbers })
  const joinRequests = createJoinRequestsService({
    clock,
    projects,
    instances,
    commander,
    groups,
  })
  const profiles = createProfilesService({ ...chatDeps, contacts, groups, media })
  const labels = createLabelsService(chatDeps)
  const calls = createCallsService({ clock, events, instances, conversations, commander })
  const pacer = createPacer({ clock, instances })
  const messages = createMessagesService({
    clock,
    pacer,
    acceptor,
    billing,
    events,
    instances,
    media,
    contacts,
    numbers,
    commander,
    projects,
    listener,
    onError,
  })
  const changes = createInboundChanges({ clock, events, publish, metrics, logger })
  const recorderDeps = {
    db,
    clock,
    activity,
    billing,
    events,
    fence,
    changes,
    listener,
    metrics,
    tracing,
    lockTurns: createLockTurns(clock, sharesOf(db.poolSize).lockedReceived),
  }
  const received = createReceivedRecorder({ ...recorderDeps, conversations, media })
  const receipts = createReceiptRecorder(recorderDeps)
  const mediaWorker = startMediaWorker({
    db,
    clock,
    activity,
    bus,
    dueWatch,
    media,
    onError,
    listener: createFetchListener({ db, clock, receipts, publish }),
  })
  stack.defer(() => mediaWorker.stop())
  const turns = createNetworkTurns(db, clock)
  const inbound = createInboundDispatcher({
    db,
    clock,
    activity,
    fence,
    turns,
    received,
    receipts,
    changes,
    messages,
    contacts,
    numbers,
    conversations,
    groups,
    labels,
    calls,
    profiles,
    pacer,
    history: createHistoryRecorder({
      ...recorderDeps,
      clock,
      turns,
      conversations,
      media,
      publish,
      onError,
    }),
    sessionOf: connections.session,
    publish,
    metrics,
    onError,
  })
  if (!deps.holdNetwork) deps.instances.connect(stack, inbound)
  const outbound = startOutboundWorker({
    db,
    clock,
    activity,
    bus,
    dueWatch,
    connections,
    conversations,
    numbers,
    media,
    pacer,
    turns,
    tracing,
    onError,
  })
  stack.defer(() => outbound.stop())
  const overdue = startOverdueWorker({ db, clock, activity, bus, receipts, onError })
  stack.defer(() => overdue.stop())
  const stuck = startStuckWorker({ db, clock, activity, receipts, metrics, logger, onError })
  stack.defer(() => stuck.stop())
  const schedules = createSchedulesService({
    clock,
    billing,
    instances,
    media,
    files,
    messages,
    acceptor,
  })
  const schedulesWorker = startSchedulesWorker({
    db,
    clock,
    activity,
    dueWatch,
    messages,
    publish,
    onError,
  })
  stack.defer(() => schedulesWorker.stop())
  const virtualPhones = withApiFailures(deps.phones)
  const phones = createPhonesService({
    billing,
    media,
    projects,
    simulates,
    phones: virtualPhones,
    recheckKey: authenticator.recheckKey,
  })
  return {
    acceptor,
    contacts,
    addressBook,
    blocked: createBlockedService({ instances, numbers, commander, projects }),
    numbers,
    profiles,
    conversations,
    responseTimes: createResponseTimesService({ clock }),
    presence: createPresenceService({ instances, conversations, commander }),
    history: createHistoryService({ clock, instances, conversations, commander }),
    health: createHealthService({ clock, instances, pacer }),
    notes,
    quickReplies,
    templates,
    groups,
    joinRequests,
    labels,
    calls,
    messages,
    schedules,
    phones,
    phoneCollections: createPhoneCollectionsService({
      phones: virtualPhones,
      projects,
      getPhone: phones.get,
    }),
    /** Tasks for the maintenance loop. */
    sweeps: {
      inbound: inbound.sweep,
      merges: merges.sweep,
      pendingChanges: changes.sweep,
      schedules: schedules.sweep,
      numbers: numbers.sweep,
      profiles: profiles.sweep,
    },
  }
}

/** The services of the `messaging` module, and its tasks for the maintenance loop. */
export type Messaging = ReturnType<typeof createMessaging>
