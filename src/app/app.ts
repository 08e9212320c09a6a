import { pino, type Logger } from 'pino'
import { addRoutes } from './add-routes.ts'
import { createAlertsService } from '../operations/alerts/alerts.service.ts'
import { createAuditService } from '../company/audit/audit.service.ts'
import { createCompany } from './company.ts'
import type { Bus } from '../platform/bus/bus.port.ts'
import { openPostgresBus } from '../platform/bus/postgres.ts'
import type { Config, Mode } from '../kernel/config/config.ts'
import { createMediaStore, mediaStoreName, stagingDir } from '../media/create-store.ts'
import { createImageFitter } from '../media/fit-image.ts'
import { createMediaProcess } from '../media/media-process.ts'
import { createMediaService } from '../media/media.service.ts'
import { createStage } from '../media/stage-file.ts'
import type { PhoneScope } from '../networks/virtual-phones.port.ts'
import { openSeal } from '../platform/db/master-key.ts'
import { migrate } from '../platform/db/migrate.ts'
import { keepPartitions } from '../platform/db/partitions.ts'
import { installationSecret, openStorage, type Storage } from '../platform/db/storage.ts'
import type { OwnInboxes } from '../events/deliveries/attempt.ts'
import { createDeliveriesService } from '../events/deliveries/deliveries.service.ts'
import {
  startDeliveriesWorker,
  type DeliveriesWorker,
} from '../events/deliveries/deliveries.worker.ts'
import { deliveryTables } from '../events/deliveries/retention.ts'
import {
  createEventsService,
  keptEventTable,
  type EventsService,
} from '../events/events.service.ts'
import { createIdempotent } from '../platform/http/idempotent.ts'
import { createMetrics } from '../platform/http/metrics.ts'
import { listenFault } from '../platform/http/listen-fault.ts'
import { createServer, type Server } from '../platform/http/server.ts'
import { startMaintenance } from './maintenance.ts'
import { createMessaging } from './messaging.ts'
import { createIdempotencyService } from '../platform/idempotency/idempotency.service.ts'
import { createInboxesService } from '../events/inboxes/inboxes.service.ts'
import { createInstancesService } from '../instances/instances.service.ts'
import { createQrStreams } from '../instances/qr-stream.ts'
import { createQrTokensService } from '../instances/qr-tokens.service.ts'
import { createInstanceRenderer } from '../instances/render-instance.ts'
import { createAuthenticator } from '../company/keys/authenticator.ts'
import { createKeysService } from '../company/keys/keys.service.ts'
import { createActivity, type Activity } from '../kernel/activity.ts'
import { createAddressPolicy } from '../kernel/address-policy.ts'
import { createSystemClock, type Clock } from '../kernel/clock.ts'
import { openFilesLimit } from '../kernel/open-files.ts'
import { ownAddresses } from '../platform/egress/own-addresses.ts'
import { createResolver } from '../platform/egress/resolver.ts'
import { createEgress } from '../platform/egress/safe-fetch.ts'
import type { Mailer } from '../platform/mail/mail.port.ts'
import { createMailer } from '../platform/mail/create-mailer.ts'
import type { Network } from '../networks/network.port.ts'
import { createSimulator } from '../networks/simulator/simulator.ts'
import { createWhatsApp } from '../networks/whatsapp/whatsapp.ts'
import type { StripePlace } from '../company/payments/stripe.ts'
import { createRequestsService, requestTable } from '../company/requests/requests.service.ts'
import { createPrivacyService } from '../operations/privacy/privacy.service.ts'
import { startNode } from '../platform/nodes/nodes.service.ts'
import { createCirclesService } from '../messaging/phones/circles.service.ts'
import { createPhonesService } from '../messaging/phones/phones.service.ts'
import { withFailures } from '../messaging/phones/with-failures.ts'
import { createStreams } from '../events/streams/streams.service.ts'
import { startVitals } from '../operations/vitals/vitals.worker.ts'
import { watchFaults } from './watch-faults.ts'
import { createWebhooksService, type WebhooksService } from '../events/webhooks/webhooks.service.ts'

const VERSION = '0.1.0'
/** Deliveries on the wire at once; each takes a socket, so a third of what the system lets us open is the limit. */
const MOST_PLACES = 4096
/** What a test or a bench puts in place of the real thing. */
export type Overrides = {
  clock?: Clock
  logger?: Logger
  storage?: Storage
  mailer?: Mailer
  bus?: Bus
  /** Null: as if it were not installed. */
  whatsapp?: Network | null
  stripe?: StripePlace
  /** Opens no connection: accepted messages stay queued. For benches of acceptance alone. */
  holdNetwork?: boolean
}

export type App = AsyncDisposable & {
  server: Server
  storage: Storage
  clock: Clock
  activity: Activity
  logger: Logger
  events: EventsService
  webhooks: WebhooksService
  /** Deliveries that wait or are on the wire here. */
  backlog(): number
  /** Logs and counts a fault that nothing has handled; what it may have broken starts anew. */
  onFault(error: unknown): void
  /** Opens the listener; answers its port. Throws StartFault. */
  listen(): Promise<number>
}

/** Constructs everything, in the order in which it depends on one another; disposing stops it in reverse. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const clock = overrides.clock ?? createSystemClock()
  const logger = overrides.logger ?? pino({ level: config.logLevel })
  const activity = createActivity()
  const storage = stack.use(overrides.storage ?? (await openStorage(config, 'server')))
  const db = storage.database
  await migrate(db)
  const metrics = createMetrics()
  const { onError, onFault, recovering } = watchFaults({ storage, clock, logger, metrics })
  const seal = await openSeal(db, config)
  const nodeId = `node-${installationSecret(config.dataDir, 'node-id', 12)}`
  const followDatabaseClock = !overrides.clock
  const life = { nodeId, mediaStore: mediaStoreName(config), followDatabaseClock }
  const node = await startNode({ db, clock, activity, ...life, onError })
  stack.defer(() => node.stop())
  const bus = overrides.bus ?? (await openBus())
  stack.defer(() => bus.close())
  const { publish } = bus

  const networkNames = config.networks
  const simulates = (mode: Mode) => networkNames[mode] === 'simulator'
  const policy = createAddressPolicy({ ...config.egress, own: ownAddresses() })
  const resolver = createResolver({ clock, servers: config.egress.dns })
  const places = Math.min(MOST_PLACES, Math.floor(openFilesLimit() / 3))
  const egress = createEgress({ clock, policy, resolver, ...config.egress, mostSockets: places })
  stack.defer(() => egress.close())

  const audit = createAuditService({ clock })
  const events = createEventsService({
    clock,
    // Started below: what records events stands to the left of what delivers them.
    intake: {
      lease: () => deliveriesWorker.lease(),
      accept: (deliveries) => deliveriesWorker.accept(deliveries),
    },
    listener: { tell: (recorded, at) => streams.tell(recorded, at) },
  })
  const mailer = overrides.mailer ?? createMailer(config, clock, logger)
  const inBackground = (work: () => Promise<void>) => void activity.run(work).catch(onError)
  const company = await createCompany({
    ...{ config, clock, seal, audit, mailer, egress, stripe: overrides.stripe, inBackground },
  })
  const { projects, sessions, members, billing, payments } = company
  const keys = createKeysService({ clock, billing, audit })
  const authenticator = createAuthenticator({ db, clock, activity, sessions, onError })
  stack.defer(async () => {
    await authenticator.stop()
    await authenticator.flush()
  })
  const requests = createRequestsService({ db, clock, activity, metrics, onError })
  stack.defer(async () => {
    await requests.stop()
    await requests.flush()
  })
  const { othersAlive } = node
  const streams = createStreams({
    ...{ db, clock, activity, bus, events, authenticator, metrics, othersAlive, onError },
  })
  stack.defer(() => streams.stop())
  const idempotency = createIdempotencyService({ db, clock })
  const idempotent = createIdempotent(db, idempotency)
  const webhooks = createWebhooksService({ clock, seal, policy, audit, publish, onError })
  const { sandboxUrl } = config
  const inboxes = createInboxesService({ clock, sandboxUrl, simulates })

  const everywhere: Record<string, string> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const listener = { host: everywhere[config.host] ?? config.host, port: config.port }
  const ownInboxes: OwnInboxes = {
    listenerFor: async (url, owner) => ((await inboxes.isInbox(db, url, owner)) ? listener : null),
  }
  const deliveriesWorker: DeliveriesWorker = startDeliveriesWorker({
    ...{ db, clock, policy, egress, activity, bus, webhooks, metrics, node, onError },
    inboxes: ownInboxes,
    places,
  })
  stack.defer(() => deliveriesWorker.stop())
  const deliveries = createDeliveriesService({ clock, webhooks, inboxes })

  const store = await createMediaStore(config)
  stack.defer(() => store.close())
  const stage = createStage(stagingDir(config))
  const mediaProcess = createMediaProcess(clock)
  stack.defer(() => mediaProcess.close())
  const images = createImageFitter(stage, mediaProcess)
  const media = createMediaService({
    ...{ db, clock, policy, store, stage, images, egress, publish, onError },
    ...{ process: mediaProcess, retentionDays: config.media.retentionDays },
  })

  const files = { open: (owner: PhoneScope, id: string) => media.open({ ...owner, id }) }
  const simulated = createSimulator({ db, clock, activity, bus, files, onError })
  const simulator = simulated.network
  stack.defer(() => simulator.stop())
  const whatsapp =
    overrides.whatsapp === undefined
      ? createWhatsApp({
          ...{ clock, activity, logger, egress, policy, onError },
          settings: config.whatsapp,
        })
      : overrides.whatsapp
  const networkOf = (mode: Mode) => (simulates(mode) ? simulator : whatsapp)
  const networks = { test: networkOf('test'), production: networkOf('production') }
  const renderer = createInstanceRenderer({ seal, policy })
  const instances = createInstancesService({
    ...{ clock, billing, audit, events, renderer, publish },
    hasNetwork: (mode) => networks[mode] !== null,
  })
  const qrTokens = createQrTokensService({ clock, authenticator })
  const qrStreams = createQrStreams({ db, clock, activity, bus, instances })
  const messaging = createMessaging(stack, {
    ...{ db, clock, activity, bus, seal, networks, instances, renderer, billing, events, media },
    ...{ node, owner: { node: node.id, epoch: node.epoch } },
    holdNetwork: overrides.holdNetwork ?? false,
    ...{ projects, metrics, logger, onError },
  })
  const virtualPhones = withFailures(simulated.phones)
  const phones = createPhonesService({
    ...{ billing, media, projects, simulates, phones: virtualPhones },
    recheckKey: authenticator.recheckKey,
  })
  const circles = createCirclesService({ phones: virtualPhones, require: phones.show })

  const vitals = startVitals({ db, clock, activity, bus, node, metrics, onError })
  stack.defer(() => vitals.stop())
  const alerts = createAlertsService({
    ...{ db, clock, activity, mailer, audit, panelUrl: config.panelUrl, onError },
  })
  stack.defer(() => alerts.stop())
  const privacy = createPrivacyService({
    ...{ clock, audit, mailer, projects, sessions, members, payments, instances, publish },
    ...{ db: db.patient, activity, inBackground, onError },
  })
  stack.defer(() => privacy.stop())

  const tables = [...deliveryTables, keptEventTable, requestTable]
  await keepPartitions(db.patient, clock.now(), tables)
  const maintenance = startMaintenance({
    ...{ clock, activity, db: db.patient, onError },
    tasks: {
      deliveries: deliveries.sweep,
      partitions: async (patient) => void (await keepPartitions(patient, clock.now(), tables)),
      sessions: sessions.sweep,
      qrTokens: qrTokens.sweep,
      inboxes: inboxes.sweep,
      media: media.sweep,
      payments: payments.sweep,
      ...messaging.maintenance,
      instances: instances.sweep,
      simulator: simulated.sweep,
      idempotency: idempotency.sweep,
    },
  })
  stack.defer(() => maintenance.stop())

  let stopping = false
  const server = await createServer({ config, clock, logger, authenticator, db }, (http) =>
    addRoutes(http, {
      ...{ config, db, clock, activity, bus, metrics, authenticator, idempotent },
      version: VERSION,
      ...{ ...company, mailer, audit, privacy, alerts, keys, requests, instances },
      ...{ qrTokens, qrStreams, webhooks, deliveries },
      ...{ ...messaging, media, phones, circles, inboxes, streams },
      ...{ stopping: () => stopping, renewing: () => node.renewing() && !recovering() },
    }),
  )
  stack.defer(() => {
    stopping = true
    return server.close()
  })
  await server.ready()

  async function openBus(): Promise<Bus> {
    if (config.natsUrl) {
      const { openNatsBus } = await import('../platform/bus/nats.ts')
      return openNatsBus({ url: config.natsUrl, nodeId, clock, onError })
    }
    return openPostgresBus({ database: db, clock, nodeId, othersAlive: node.othersAlive, onError })
  }

  const everything = stack.move()
  return {
    ...{ server, storage, clock, activity, logger, events, webhooks },
    backlog: () => deliveriesWorker.backlog(),
    onFault,
    async listen() {
      try {
        await server.listen({ port: config.port, host: config.host })
      } catch (error) {
        throw listenFault(error, config)
      }
      const address = server.server.address()
      listener.port = typeof address === 'object' && address ? address.port : config.port
      return listener.port
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}
