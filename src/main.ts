import { buildPanel } from './app/build-panel.ts'
import { parseConfig, type Config } from './kernel/config/config.ts'
import { readEnv } from './kernel/config/env.ts'
import { StartFault } from './kernel/phrases/fail.ts'
import { say } from './kernel/phrases/phrases.ts'
import { WORKER_SLOT } from './platform/workers/worker-slot.ts'
import type { WorkerLink } from './platform/workers/worker-link.ts'

const STOP_WITHIN_MS = 20_000
/** How much longer the primary process waits for its workers to stop. */
const WORKERS_MORE_MS = 5000
const SAME_SIGNAL_MS = 1000
/** How the tour starts in a clone, and in the package that `npx` runs. */
const TOUR = import.meta.url.endsWith('.ts') ? 'npm run tour' : 'npx recado-server tour'

async function main(): Promise<boolean> {
  const env = readEnv()
  const config = parseConfig(env)
  // Registered first: Ctrl-C must not interrupt the creation of the database.
  const asked = signal()
  const slot = Number(env[WORKER_SLOT] ?? 0)
  if (slot > 0) return work(config, slot, asked)
  await buildPanel()
  const onReady = (relocatedTo: string | null) => {
    announce(config, relocatedTo)
    void asked.then(() => print(say.start.stopping))
  }
  if (config.workers === 1) return serve(config, asked, { onReady })
  const { runWorkers } = await import('./platform/workers/run-workers.ts')
  const giveUp = () => setTimeout(() => process.exit(1), STOP_WITHIN_MS + WORKERS_MORE_MS).unref()
  void asked.then(giveUp)
  return runWorkers(config, { asked, onReady })
}

/** Serves as one of several workers until asked to stop. `node:cluster` ends it when the primary process exits. */
async function work(config: Config, slot: number, asked: Promise<void>): Promise<boolean> {
  const { openWorkerLink } = await import('./platform/workers/worker-link.ts')
  return serve(config, asked, { worker: await openWorkerLink(config, slot) })
}

/** Serves until it is asked to stop. */
async function serve(
  config: Config,
  asked: Promise<void>,
  how: { onReady?: (relocatedTo: string | null) => void; worker?: WorkerLink },
): Promise<boolean> {
  // Loaded late, so that an invalid variable is reported immediately.
  const { createApp } = await import('./app/app.ts')
  const { worker, onReady } = how
  const app = await createApp(config, worker ? { worker } : {})
  await using _ = app
  // The process and its sessions survive an unhandled error; interrupted database work is retried.
  process.on('unhandledRejection', app.onUnhandledError)
  process.on('uncaughtException', app.onUnhandledError)
  // Frees about 20 MB that only startup needed, before requests arrive; `npm start` exposes `gc`.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  await app.listen()
  const { egress, stripe } = config
  if ((worker?.slot ?? 1) === 1) {
    if (egress.allow.length > 0) {
      app.logger.warn(say.start.egressAllow(egress.allow.map((cidr) => cidr.text).join(', ')))
    }
    if (stripe?.secretKey.includes('_test_')) app.logger.warn(say.start.stripeTest)
  }
  onReady?.(app.storage.relocatedTo)
  await asked
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
  return true
}

/** Reports why the server cannot start. Workers send it to the primary process, which prints it once. */
async function reportStartFault(reason: string): Promise<void> {
  if (!readEnv()[WORKER_SLOT]) return void process.stderr.write(`${reason}\n`)
  const { reportFault } = await import('./platform/workers/worker-link.ts')
  await reportFault(reason)
}

const print = (text: string) => process.stdout.write(`${text}\n`)

/** Prints the server's address and the first step. */
function announce({ publicUrl, sandboxUrl }: Config, relocatedTo: string | null): void {
  if (relocatedTo) print(say.start.embeddedMoved(relocatedTo))
  print(say.start.ready(publicUrl, sandboxUrl))
  print(say.start.firstStep(tourCommand(readEnv())))
  print(say.start.hostsLine(new URL(sandboxUrl).hostname))
}

/** The tour reads the same variables as the server. */
function tourCommand(env: Record<string, string | undefined>): string {
  const set = ['PORT', 'DATA_DIR'].filter((name) => env[name])
  return [...set.map((name) => `${name}=${env[name]}`), TOUR].join(' ')
}

/**
 * Resolves at the first SIGTERM or SIGINT; a second one ends the process at once, unless it follows within a second: npm
 * repeats the signal of Ctrl-C, which the terminal has already sent to every process.
 */
function signal(): Promise<void> {
  return new Promise((resolve) => {
    let askedAt: number | undefined
    const stop = () => {
      if (askedAt !== undefined && performance.now() - askedAt > SAME_SIGNAL_MS) process.exit(1)
      askedAt ??= performance.now()
      resolve()
    }
    process.on('SIGTERM', stop)
    process.on('SIGINT', stop)
  })
}

try {
  const stopped = await main()
  if (stopped && !readEnv()[WORKER_SLOT]) process.stdout.write(say.start.stopped)
  process.exit(stopped ? 0 : 1)
} catch (error) {
  if (error instanceof StartFault) await reportStartFault(error.message)
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
