import type { Logger } from 'pino'
import { createCampaignsService } from '../campaigns/campaigns.service.ts'
import { startCampaignsWorker } from '../campaigns/campaigns.worker.ts'
import { createCampaignStepper } from '../campaigns/step-campaign.ts'
import { createRecipientTracker } from '../campaigns/track-recipients.ts'
import { createCallsService } from '../messaging/calls/calls.service.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { Bus } from '../platform/bus/bus.port.ts'
import { createContactsService } from '../messaging/contacts/contacts.service.ts'
import { createNumbersService } from '../messaging/contacts/numbers.service.ts'
import { createConversationsService } from '../messaging/conversations/conversations.service.ts'
import type { Database } from '../platform/db/database.ts'
import type { EventsService } from '../events/events.service.ts'
import type { Metrics } from '../platform/http/metrics.ts'
import { createGroupsService } from '../messaging/groups/groups.service.ts'
import { createInbound } from '../messaging/inbound/inbound.service.ts'
import { startConnections, type Connections } from '../instances/connections.worker.ts'
import { createCredentialStores } from '../instances/credentials.ts'
import { createFence } from '../instances/fence.service.ts'
import { createNetworkCommander } from '../instances/network-commands.service.ts'
import { createLabelsService } from '../messaging/labels/labels.service.ts'
import type { MediaService } from '../media/media.service.ts'
import { startMediaWorker } from '../media/media.worker.ts'
import { createInboundChanges } from '../messaging/messages/inbound-changes.ts'
import { createAcceptor } from '../messaging/messages/accept-sends.ts'
import { createFetchListener } from '../messaging/messages/fetched-media.ts'
import { createMessagesService } from '../messaging/messages/messages.service.ts'
import { startStuckWorker } from '../messaging/messages/stuck.worker.ts'
import { startOutboundWorker } from '../messaging/messages/outbound.worker.ts'
import { createReceiptRecorder } from '../messaging/messages/record-receipts.ts'
import { createReceivedRecorder } from '../messaging/messages/record-received.ts'
import type { Seal } from '../kernel/seal.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'

const WORKERS_HELD: Connections = {
  session: () => null,
  online: () => null,
  connected: () => [],
  open: () => [],
  owner: { node: '', epoch: 0 },
  stop: async () => {},
}

/**
 * Constructs what carries messages between the API and the networks: the sessions, the rooms of what is said and by
 * whom, and the workers between them. `stack` takes what is to be stopped.
 */
export function createMessaging(
  stack: AsyncDisposableStack,
  deps: Pick<
    Parameters<typeof startConnections>[0],
    'clock' | 'activity' | 'networks' | 'instances' | 'renderer' | 'owner' | 'node' | 'onError'
  > & {
    db: Database
    bus: Bus
    seal: Seal
    billing: BillingService
    events: EventsService
    media: MediaService
    projects: ProjectsService
    metrics: Metrics
    logger: Logger
    /** Opens no connection: accepted messages stay queued. */
    holdNetwork: boolean
  },
) {
  const { db, clock, activity, bus, billing, events, media, instances, projects, onError } = deps
  const { publish } = bus
  const acceptor = createAcceptor({
    root: db,
    pipeline: db.pipeline,
    clock,
    activity,
    billing,
    publish,
    metrics: deps.metrics,
  })
  const open: { connections: Connections } = { connections: WORKERS_HELD }
  const sessionOf = (instanceId: string) => open.connections.session(instanceId)
  const commander = createNetworkCommander({
    ...{ db, clock, activity, bus, onError },
    sessions: {
      online: (instanceId, scope) => open.connections.online(instanceId, scope),
      session: sessionOf,
      open: () => open.connections.open(),
    },
    fetchFile: (session, { mediaId, ...owner }) =>
      media.fetchHeld({ ...owner, keyId: null }, mediaId, (source) => session.download(source)),
  })
  stack.defer(() => commander.stop())
  const contacts = createContactsService({ clock, events, instances })
  const numbers = createNumbersService({
    ...{ db, clock, activity, instances, commander, projects, onError },
  })
  const conversations = createConversationsService({ clock, instances, contacts })
  const fence = createFence(deps.owner)
  const circle = { clock, billing, events, instances, commander, conversations }
  const groups = createGroupsService({ ...circle, numbers })
  const labels = createLabelsService(circle)
  const calls = createCallsService({ clock, events, instances, conversations, commander })
  const listener = createRecipientTracker({ clock, publish })
  const messages = createMessagesService({
    ...{ clock, acceptor, billing, events, instances, media, contacts, numbers, commander },
    ...{ projects, listener, onError },
  })
  const campaigns = createCampaignsService({ clock, billing, media, messages, projects, publish })
  const changes = createInboundChanges({
    ...{ clock, events, publish, metrics: deps.metrics, logger: deps.logger },
  })
  const received = createReceivedRecorder({
    ...{ db, clock, activity, billing, events, fence, conversations, media, changes, listener },
    metrics: deps.metrics,
  })
  const receipts = createReceiptRecorder({
    ...{ db, activity, billing, events, fence, changes, listener },
    metrics: deps.metrics,
  })
  const mediaWorker = startMediaWorker({
    ...{ db, clock, activity, bus, media, onError },
    listener: createFetchListener({ db, clock, receipts, publish }),
  })
  stack.defer(() => mediaWorker.stop())
  const hearer = createInbound({
    ...{ db, clock, billing, fence, received, receipts, changes, messages, conversations },
    ...{ groups, labels, calls, sessionOf, onError },
  })
  const storeOf = createCredentialStores(deps)
  if (!deps.holdNetwork) open.connections = startConnections({ ...deps, storeOf, hearer })
  const { connections } = open
  stack.defer(() => connections.stop())
  const outbound = startOutboundWorker({
    ...{ db, clock, activity, bus, connections, receipts, billing, conversations, numbers, media },
    onError,
  })
  stack.defer(() => outbound.stop())
  const stuck = startStuckWorker({
    ...{ db, clock, activity, receipts, metrics: deps.metrics, logger: deps.logger, onError },
  })
  stack.defer(() => stuck.stop())
  const step = createCampaignStepper({
    ...{ db, clock, acceptor, billing, numbers, contacts, media },
  })
  const campaigner = startCampaignsWorker({ db, clock, activity, bus, step, onError })
  stack.defer(() => campaigner.stop())
  return {
    /** Tasks for the maintenance loop. */
    maintenance: {
      inbound: hearer.sweep,
      pendingChanges: changes.sweep,
      campaigns: campaigns.sweep,
    },
    commander,
    contacts,
    numbers,
    conversations,
    groups,
    labels,
    calls,
    messages,
    campaigns,
  }
}
