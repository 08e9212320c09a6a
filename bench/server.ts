// The benchmarked server, in a separate process, or in several with WORKERS. It prints its port as one JSON line and
// stops on SIGTERM.
import { pino } from 'pino'
import { createApp } from '../src/app/app.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { readEnv } from '../src/kernel/config/env.ts'
import { runWorkers } from '../src/platform/workers/run-workers.ts'
import { openWorkerLink } from '../src/platform/workers/worker-link.ts'
import { WORKER_SLOT } from '../src/platform/workers/worker-slot.ts'
import { profileCpu } from './cpu-profile.ts'
import { measureMemory } from './orders.ts'

const config = parseConfig(readEnv())
const slot = Number(readEnv()[WORKER_SLOT] ?? 0)
const asked = new Promise<void>((resolve) => void process.once('SIGTERM', resolve))
const announce = (port: number) => process.stdout.write(`${JSON.stringify({ port })}\n`)

async function serve(): Promise<void> {
  await using app = await createApp(config, {
    logger: pino({ level: 'error' }),
    holdNetwork: process.argv.includes('--hold-network'),
    ...(slot > 0 ? { worker: await openWorkerLink(config, slot) } : {}),
  })
  const port = await app.listen()
  if (slot === 0) answerOrders(port)
  await asked
}

function answerOrders(port: number): void {
  announce(port)
  let stopProfile: Awaited<ReturnType<typeof profileCpu>> | null = null
  process.on('message', async (order) => {
    if (order === 'memory') process.send?.(measureMemory())
    if (order === 'profile') {
      stopProfile = await profileCpu()
      process.send?.('started')
    }
    if (order === 'profiled') process.send?.(await stopProfile?.())
  })
}

if (config.workers > 1 && slot === 0)
  await runWorkers(config, { asked, onReady: () => announce(config.port) })
else await serve()
process.exit(0)
