// The benchmarked server, in a separate process. It prints its port as one JSON line and stops on SIGTERM.
import { pino } from 'pino'
import { createApp } from '../src/app/app.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { readEnv } from '../src/kernel/config/env.ts'
import { profileCpu } from './cpu-profile.ts'
import { measureMemory } from './orders.ts'

const config = parseConfig(readEnv())
const logger = pino({ level: 'error' })
const app = await createApp(config, {
  logger,
  holdNetwork: process.argv.includes('--hold-network'),
})
const port = await app.listen()
process.stdout.write(`${JSON.stringify({ port })}\n`)
let stopProfile: Awaited<ReturnType<typeof profileCpu>> | null = null
process.on('message', async (order) => {
  if (order === 'memory') process.send?.(measureMemory())
  if (order === 'profile') {
    stopProfile = await profileCpu()
    process.send?.('started')
  }
  if (order === 'profiled') process.send?.(await stopProfile?.())
})
process.once('SIGTERM', async () => {
  await app[Symbol.asyncDispose]()
  process.exit(0)
})
