import fastifyCookie from '@fastify/cookie'
import { pino, type Logger } from 'pino'
import { addConfirmEmailPage } from './accounts/confirm-email.panel.ts'
import { createAccountsService } from './accounts/accounts.service.ts'
import { addAccountPanelRoutes } from './accounts/accounts.panel.ts'
import { createAuditService } from './audit/audit.service.ts'
import { createBillingService } from './billing/billing.service.ts'
import type { Bus } from './bus/bus.port.ts'
import { openPostgresBus } from './bus/postgres.ts'
import type { Config, Mode } from './config/config.ts'
import { isDatabaseAway } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { installationSecret, openStorage, type Storage } from './db/storage.ts'
import type { OwnInboxes } from './deliveries/attempt.ts'
import { addDeliveryRoutes } from './deliveries/deliveries.routes.ts'
import { createDeliveriesService } from './deliveries/deliveries.service.ts'
import { startDeliveriesWorker, type DeliveriesWorker } from './deliveries/deliveries.worker.ts'
import { keepPartitions } from './deliveries/partitions.ts'
import { catalog } from './events/catalog/index.ts'
import { createEventsService, type EventsService } from './events/events.service.ts'
import { addHealthRoutes } from './http/health.ts'
import { createIdempotent } from './http/idempotent.ts'
import { addMetricsRoute, createMetrics } from './http/metrics.ts'
import { addOpenapi, describeEvents, serveOpenapi } from './http/openapi.ts'
import { listenFault } from './http/listen-fault.ts'
import { createServer, type Server } from './http/server.ts'
import { endStreamsOnClose } from './http/sse.ts'
import { createIdempotencyService } from './idempotency/idempotency.service.ts'
import { createInbound } from './inbound/inbound.service.ts'
import { addInboxReceiver, addInboxRoutes } from './inboxes/inboxes.routes.ts'
import { createInboxesService } from './inboxes/inboxes.service.ts'
import { startConnections, type Connections } from './instances/connections.worker.ts'
import { addInstanceRoutes } from './instances/instances.routes.ts'
import { createInstancesService } from './instances/instances.service.ts'
import { addPairingRoutes } from './instances/pairing.routes.ts'
import { createQrStreams } from './instances/qr-stream.ts'
import { createQrTokensService } from './instances/qr-tokens.service.ts'
import { createInstanceRenderer } from './instances/render-instance.ts'
import { createAuthenticator } from './keys/authenticator.ts'
import { addKeyRoutes } from './keys/keys.routes.ts'
import { createKeysService } from './keys/keys.service.ts'
import { createActivity, type Activity } from './lib/activity.ts'
import { createAddressPolicy } from './lib/address-policy.ts'
import { createSystemClock, type Clock } from './lib/clock.ts'
import { createLoop } from './lib/loop.ts'
import { openFilesLimit } from './lib/open-files.ts'
import { ownAddresses } from './lib/own-addresses.ts'
import { createResolver } from './lib/resolver.ts'
import { createEgress } from './lib/safe-fetch.ts'
import { createSeal } from './lib/seal.ts'
import type { Mailer } from './mail/mail.port.ts'
import { createMailer } from './mail/create-mailer.ts'
import { createAcceptor } from './messages/accept-sends.ts'
import { addMessageRoutes } from './messages/messages.routes.ts'
import { createMessagesService } from './messages/messages.service.ts'
import { startOutboundWorker } from './messages/outbound.worker.ts'
import { createReceiptRecorder } from './messages/record-receipts.ts'
import { createReceivedRecorder } from './messages/record-received.ts'
import { createSimulator } from './networks/simulator/simulator.ts'
import { createVirtualPhones } from './networks/simulator/virtual-phones.ts'
import { startNode } from './nodes/nodes.service.ts'
import { addPhoneRoutes } from './phones/phones.routes.ts'
import { createPhonesService } from './phones/phones.service.ts'
import { createProjectsService } from './projects/projects.service.ts'
import { addSessionRoutes } from './sessions/sessions.routes.ts'
import { createSessionsService } from './sessions/sessions.service.ts'
import { addStreamRoutes } from './streams/streams.routes.ts'
import { createStreams } from './streams/streams.service.ts'
import { addWebhookRoutes } from './webhooks/webhooks.routes.ts'
import { createWebhooksService, type WebhooksService } from './webhooks/webhooks.service.ts'

const VERSION = '0.1.0'
/** Deliveries on the wire at once; each takes a socket, so a third of what the system lets us open is the limit. */
const MOST_PLACES = 4096
const MAINTENANCE_MS = 10 * 60_000
const WORKERS_HELD: Connections = { session: () => null, connected: () => [], stop: async () => {} }

/** What a test or a bench puts in place of the real thing. */
export type Overrides = {
  clock?: Clock
  logger?: Logger
  storage?: Storage
  mailer?: Mailer
  bus?: Bus
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
  const onError = (error: unknown) => {
    logger.error({ err: error }, 'background work failed')
    if (isDatabaseAway(error))
      void storage.revive().catch((err) => logger.error({ err }, 'revive failed'))
  }

  const seal = createSeal(config.masterKey ?? installationSecret(config.dataDir, 'master.key', 32))
  const nodeId = `node-${installationSecret(config.dataDir, 'node-id', 12)}`
  const followDatabaseClock = !overrides.clock
  const node = await startNode({ db, clock, activity, nodeId, followDatabaseClock, onError })
  stack.defer(() => node.stop())
  const bus = overrides.bus ?? (await openBus())
  stack.defer(() => bus.close())
  const { publish } = bus
  const metrics = createMetrics()

  const networkNames = config.networks
  const simulates = (mode: Mode) => networkNames[mode] === 'simulator'
  const policy = createAddressPolicy({ ...config.egress, own: ownAddresses() })
  const resolver = createResolver({ clock, servers: config.egress.dns })
  const places = Math.min(MOST_PLACES, Math.floor(openFilesLimit() / 3))
  const { proxy } = config.egress
  const egress = createEgress({ clock, policy, resolver, proxy, mostSockets: places })
  stack.defer(() => egress.close())

  // The rooms, from left to right.
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
  const projects = createProjectsService({ clock, audit })
  const mailer = overrides.mailer ?? createMailer(config, clock, logger)
  const { panelUrl } = config
  const accounts = createAccountsService({ clock, mailer, projects, audit, panelUrl })
  const sessions = createSessionsService({ clock, accounts })
  const billing = createBillingService({ clock, audit })
  const keys = createKeysService({ clock, billing })
  const authenticator = createAuthenticator({ db, clock, activity, sessions, onError })
  stack.defer(async () => {
    await authenticator.stop()
    await authenticator.flush()
  })
  const { othersAlive } = node
  const streams = createStreams({
    ...{ db, clock, activity, bus, events, authenticator, metrics, othersAlive, onError },
  })
  stack.defer(() => streams.stop())
  const idempotency = createIdempotencyService({ db, clock })
  const idempotent = createIdempotent(db, idempotency)
  const webhooks = createWebhooksService({ clock, seal, policy, publish, onError })
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
  const deliveries = createDeliveriesService({ clock, webhooks })

  const simulator = createSimulator({ db, clock, activity, bus, onError })
  stack.defer(() => simulator.stop())
  const networks = {
    test: simulates('test') ? simulator : null,
    production: simulates('production') ? simulator : null,
  }
  const renderer = createInstanceRenderer({ seal, policy })
  const instances = createInstancesService({
    ...{ clock, billing, events, renderer, publish },
    hasNetwork: (mode) => networks[mode] !== null,
  })
  const qrTokens = createQrTokensService({ clock, authenticator })
  const qrStreams = createQrStreams({ db, clock, activity, bus, instances })
  const acceptor = createAcceptor({ root: db, clock, activity, billing, publish })
  const open: { connections: Connections } = { connections: WORKERS_HELD }
  const messages = createMessagesService({
    ...{ clock, acceptor, instances, onError },
    sessionOf: (instanceId) => open.connections.session(instanceId),
  })
  const received = createReceivedRecorder({ db, clock, activity, billing, events })
  const receipts = createReceiptRecorder({ db, activity, billing, events })
  const hearer = createInbound({ db, received, receipts, messages })
  const owner = { node: node.id, epoch: node.epoch }
  if (!overrides.holdNetwork) {
    open.connections = startConnections({
      ...{ db, clock, activity, bus, seal, networks, instances, renderer, owner, hearer, onError },
    })
  }
  const { connections } = open
  stack.defer(() => connections.stop())
  const outbound = startOutboundWorker({ db, clock, activity, bus, connections, receipts, onError })
  stack.defer(() => outbound.stop())
  const phones = createPhonesService({
    ...{ billing, simulates, recheckKey: authenticator.recheckKey },
    phones: createVirtualPhones({ clock, publish }),
  })

  await keepPartitions(db, clock.now())
  const maintenance = createLoop({
    ...{ clock, activity, onError, everyMs: () => MAINTENANCE_MS },
    async run() {
      await keepPartitions(db, clock.now())
      await sessions.sweep(db)
      await qrTokens.sweep(db)
      await inboxes.sweep(db)
      await idempotency.sweep()
      return false
    },
  })
  stack.defer(() => maintenance.stop())

  let stopping = false
  const server = await createServer({ config, clock, logger, authenticator, db }, async (http) => {
    await http.register(fastifyCookie)
    endStreamsOnClose(http)
    const { publicUrl } = config
    const docs = describeEvents(catalog)
    await addOpenapi(http, { publicUrl, sandboxUrl, version: VERSION, events: docs })
    addMetricsRoute(http, metrics)
    addHealthRoutes(http, { db, stopping: () => stopping })
    const secureCookies = panelUrl.startsWith('https:')
    addAccountPanelRoutes(http, { db, accounts })
    addConfirmEmailPage(http, { db, accounts })
    addSessionRoutes(http, { db, sessions, secureCookies })
    addKeyRoutes(http, { db, keys, authenticator })
    addInstanceRoutes(http, { db, instances, authenticator, idempotent })
    addPairingRoutes(http, {
      ...{ db, instances, qrTokens, qrStreams, connections, authenticator },
    })
    addMessageRoutes(http, { db, messages, authenticator, idempotent })
    addWebhookRoutes(http, { db, webhooks, authenticator })
    addDeliveryRoutes(http, { db, deliveries, authenticator })
    addPhoneRoutes(http, { db, phones, authenticator, idempotent })
    addInboxRoutes(http, { db, inboxes, authenticator, idempotent })
    addInboxReceiver(http, { db, inboxes })
    await addStreamRoutes(http, { db, streams, instances, authenticator })
    await serveOpenapi(http)
  })
  stack.defer(() => {
    stopping = true
    return server.close()
  })
  await server.ready()
  const everything = stack.move()

  async function openBus(): Promise<Bus> {
    if (config.natsUrl) {
      const { openNatsBus } = await import('./bus/nats.ts')
      return openNatsBus({ url: config.natsUrl, nodeId })
    }
    return openPostgresBus({ database: db, clock, nodeId, othersAlive: node.othersAlive, onError })
  }

  return {
    ...{ server, storage, clock, activity, logger, events, webhooks },
    backlog: () => deliveriesWorker.backlog(),
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
