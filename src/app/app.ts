import { readFileSync } from 'node:fs'
import type { Logger } from 'pino'
import { requestTable } from '../company/requests/requests.service.ts'
import { deliveryRetention } from '../events/deliveries/retention.ts'
import { eventHistoryTable, type EventsService } from '../events/events.service.ts'
import type { WebhooksService } from '../events/webhooks/webhooks.service.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Config } from '../kernel/config/config.ts'
import { maintainPartitions } from '../platform/db/partitions.ts'
import type { Storage } from '../platform/db/storage.ts'
import { listenFault } from '../platform/http/listen-fault.ts'
import { createServer, type Server } from '../platform/http/server.ts'
import { addRoutes } from './add-routes.ts'
import { createModules, type Modules, type Overrides } from './create-modules.ts'
import { startMaintenance, type MaintenanceTask } from './maintenance.ts'

/** Next to the source, in a clone as in the images and in the `npx` package. */
const MANIFEST = new URL('../../package.json', import.meta.url)
const { version: VERSION } = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { version: string }
const MAINTENANCE_MS = 10 * 60_000
const DAILY_TABLES = [...deliveryRetention, eventHistoryTable, requestTable]

/** A running server; disposing of it stops the server within 20 seconds. */
export type App = AsyncDisposable & {
  server: Server
  storage: Storage
  clock: Clock
  activity: PendingWork
  logger: Logger
  events: EventsService
  webhooks: WebhooksService
  /** Counts the deliveries that are queued or in flight on this node. */
  backlog(): number
  /** Logs and counts an unhandled error, and restarts what it may have broken. */
  onUnhandledError(error: unknown): void
  /** Opens the listener and returns its port. Throws StartFault. */
  listen(): Promise<number>
}

/** The maintenance tasks of all modules: each deletes what has expired; `payments` reconciles with the provider. */
function maintenanceTasks(modules: Modules): MaintenanceTask[] {
  const { clock, deliveries, sessions, qrTokens, inboxes, media, payments, sweeps } = modules
  const runs: Record<string, MaintenanceTask['run']> = {
    deliveries: deliveries.sweep,
    partitions: async (db) => void (await maintainPartitions(db, clock.now(), DAILY_TABLES)),
    sessions: sessions.sweep,
    qrTokens: qrTokens.sweep,
    pairingLinks: modules.pairingLinks.sweep,
    responseTimes: modules.responseTimes.sweep,
    inboxes: inboxes.sweep,
    media: media.sweep,
    payments: payments.sweep,
    ...sweeps,
    campaigns: modules.campaigns.sweep,
    instances: modules.instances.sweep,
    simulator: modules.sweepSimulator,
    idempotency: modules.idempotency.sweep,
  }
  return Object.entries(runs).map(([name, run]) => ({ name, everyMs: MAINTENANCE_MS, run }))
}

/** Creates the server with all its modules; disposing stops them in reverse. */
export async function createApp(config: Config, overrides: Overrides = {}): Promise<App> {
  await using stack = new AsyncDisposableStack()
  const modules = await createModules(stack, config, overrides)
  const { storage, db, clock, activity, logger, node, events, webhooks, listener } = modules
  const { authenticator, backlog, metrics, onError, onUnhandledError, recovering } = modules
  await maintainPartitions(db.patient, clock.now(), DAILY_TABLES)
  const maintenance = startMaintenance({
    clock,
    activity,
    db: db.patient,
    metrics,
    onError,
    tasks: maintenanceTasks(modules),
  })
  stack.defer(() => maintenance.stop())

  let stopping = false
  const server = await createServer({ config, clock, logger, authenticator, db }, (http) =>
    addRoutes(http, {
      ...modules,
      version: VERSION,
      stopping: () => stopping,
      heartbeatRecent: () => node.heartbeatRecent() && !recovering(),
    }),
  )
  stack.defer(() => {
    stopping = true
    return server.close()
  })
  await server.ready()
  const everything = stack.move()
  return {
    server,
    storage,
    clock,
    activity,
    logger,
    events,
    webhooks,
    backlog,
    onUnhandledError,
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
