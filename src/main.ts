import { buildPanel } from './app/build-panel.ts'
import { parseConfig } from './kernel/config/config.ts'
import { readEnv } from './kernel/config/env.ts'
import { StartFault } from './kernel/phrases/fail.ts'
import { say } from './kernel/phrases/phrases.ts'

const STOP_WITHIN_MS = 20_000
const SAME_SIGNAL_MS = 1000
/** How the tour starts in a clone, and in the package that `npx` runs. */
const TOUR = import.meta.url.endsWith('.ts') ? 'npm run tour' : 'npx recado-server tour'

async function main(): Promise<void> {
  const config = parseConfig(readEnv())
  // Registered first: Ctrl-C must not interrupt the creation of the database.
  const asked = signal()
  await buildPanel()
  // Loaded late, so that an invalid variable is reported immediately.
  const { createApp } = await import('./app/app.ts')
  const app = await createApp(config)
  await using _ = app
  // The process and its sessions survive an unhandled error; interrupted database work is retried.
  process.on('unhandledRejection', app.onUnhandledError)
  process.on('uncaughtException', app.onUnhandledError)
  // Frees about 20 MB that only startup needed, before requests arrive; `npm start` exposes `gc`.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  await app.listen()
  const { publicUrl, sandboxUrl, egress, stripe } = config
  const print = (text: string) => process.stdout.write(`${text}\n`)
  if (app.storage.relocatedTo) print(say.start.embeddedMoved(app.storage.relocatedTo))
  if (egress.allow.length > 0) {
    app.logger.warn(say.start.egressAllow(egress.allow.map((cidr) => cidr.text).join(', ')))
  }
  if (stripe?.secretKey.includes('_test_')) app.logger.warn(say.start.stripeTest)
  print(say.start.ready(publicUrl, sandboxUrl))
  print(say.start.firstStep(tourCommand(readEnv())))
  print(say.start.hostsLine(new URL(sandboxUrl).hostname))
  await asked
  print(say.start.stopping)
  setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
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
  await main()
  process.stdout.write(say.start.stopped)
  process.exit(0)
} catch (error) {
  if (error instanceof StartFault) process.stderr.write(`${error.message}\n`)
  else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  process.exit(1)
}
