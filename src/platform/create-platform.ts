import { pino, type Logger } from 'pino'
import { createPendingWork } from '../kernel/pending-work.ts'
import { createSystemClock, type Clock } from '../kernel/clock.ts'
import type { Config } from '../kernel/config/config.ts'
import { availableMemoryMb } from '../kernel/available-memory.ts'
import { maxOpenFiles } from '../kernel/open-files.ts'
import type { Bus } from './bus/bus.port.ts'
import { openPostgresBus } from './bus/postgres.ts'
import { createDueWatch } from './db/due-watch.ts'
import { openSeal } from './db/master-key.ts'
import { migrate } from './db/migrate.ts'
import { installationSecret, openStorage, type Storage } from './db/storage.ts'
import { openEgress } from './egress/open-egress.ts'
import { createIdempotent } from './http/idempotent.ts'
import { createMetrics } from './metrics/metrics.ts'
import { shareMetrics } from './metrics/worker-metrics.ts'
import { createIdempotencyService } from './idempotency/idempotency.service.ts'
import { createMailer } from './mail/create-mailer.ts'
import { nameFailures } from './mail/name-failures.ts'
import type { Mailer } from './mail/mail.port.ts'
import { startNode } from './nodes/nodes.service.ts'
import type { WorkerLink } from './workers/worker-link.ts'
import { openTracing } from './tracing/open-tracing.ts'
import { createErrorReporter } from './error-reporting.ts'

/**
 * Upper limit of concurrent outgoing connections. Each takes a socket, so the actual limit is at most a third of the
 * open files the operating system allows.
 */
const MAX_SOCKETS = 4096

/** Overrides for workers, tests and benchmarks. */
export type PlatformOverrides = {
  clock?: Clock
  logger?: Logger
  storage?: Storage
  mailer?: Mailer
  bus?: Bus
  /** Set in a worker process. */
  worker?: WorkerLink
}

/**
 * Creates the `platform` module: opens and migrates the database, registers this node, and connects to the bus.
 * Everything that must be stopped is added to `stack`. `nameMediaStore` names the place where this node stores files,
 * which must be the same on every node.
 */
export async function createPlatform(
  stack: AsyncDisposableStack,
  config: Config,
  overrides: PlatformOverrides,
  nameMediaStore: (config: Config) => string,
) {
  const clock = overrides.clock ?? createSystemClock()
  const logger = overrides.logger ?? pino({ level: config.logLevel })
  const activity = createPendingWork()
  const { worker } = overrides
  const storage = stack.use(
    worker?.storage ?? overrides.storage ?? (await openStorage(config, 'server')),
  )
  const db = storage.database
  await migrate(db)
  const metrics = createMetrics({ exemplars: config.tracing !== null && !worker })
  if (worker) shareMetrics(metrics, worker.slot)
  const { onError, onUnhandledError, recovering } = createErrorReporter({
    storage,
    clock,
    logger,
    metrics,
  })
  const seal = await openSeal(db, config)
  const installation = `node-${installationSecret(config.dataDir, 'node-id', 12)}`
  const nodeId = worker ? `${installation}-${worker.slot}` : installation
  const followDatabaseClock = !overrides.clock
  const node = await startNode({
    db,
    clock,
    activity,
    nodeId,
    capacityMb: Math.round(availableMemoryMb() / (worker?.of ?? 1)),
    mediaStore: nameMediaStore(config),
    followDatabaseClock,
    onError,
  })
  stack.defer(() => node.stop())

  const tracing = await openTracing(config, nodeId)
  stack.defer(() => tracing.close())

  async function openBus(): Promise<Bus> {
    if (config.natsUrl) {
      const { openNatsBus } = await import('./bus/nats.ts')
      return openNatsBus({ url: config.natsUrl, nodeId, clock, onError })
    }
    return openPostgresBus({ database: db, clock, nodeId, othersAlive: node.othersAlive, onError })
  }
  const bus = overrides.bus ?? (await openBus())
  stack.defer(() => bus.close())

  const dueWatch = createDueWatch({ db, clock, activity, onError })
  stack.defer(() => dueWatch.stop())

  const maxSockets = Math.min(MAX_SOCKETS, Math.floor(maxOpenFiles() / 3))
  const { policy, egress } = openEgress(config, clock, maxSockets)
  stack.defer(() => egress.close())
  const idempotency = createIdempotencyService({ db, clock })
  return {
    clock,
    logger,
    activity,
    storage,
    db,
    metrics,
    /** The number of this worker process, counted from 1; null in a server of one process. */
    workerSlot: worker?.slot ?? null,
    readMetrics: worker?.readMetrics ?? (() => metrics.registry.metrics()),
    tracing,
    seal,
    node,
    bus,
    dueWatch,
    policy,
    egress,
    maxSockets: maxSockets,
    idempotency,
    idempotent: createIdempotent(db, idempotency),
    mailer: nameFailures(overrides.mailer ?? createMailer(config, clock, logger)),
    onError,
    onUnhandledError,
    recovering,
    /** Runs work that no caller awaits; failures go to the log and the metrics. */
    runInBackground: (work: () => Promise<void>) =>
      void activity.run(work).catch((error: unknown) => onError(error, 'work after a response')),
  }
}

/** The parts of the platform that other modules use. */
export type Platform = Awaited<ReturnType<typeof createPlatform>>
