// The server of a bench, in a process of its own. It prints its port as one line and stops at SIGTERM.
import { pino } from 'pino'
import { createApp } from '../src/app/app.ts'
import { parseConfig } from '../src/kernel/config/config.ts'
import { readEnv } from '../src/kernel/config/env.ts'
import { measureMemory } from './orders.ts'

const config = parseConfig(readEnv())
const logger = pino({ level: 'error' })
const app = await createApp(config, {
  logger,
  holdNetwork: process.argv.includes('--hold-network'),
})
const port = await app.listen()
process.stdout.write(`${JSON.stringify({ port })}\n`)
process.on('message', () => {
  process.send?.(measureMemory())
})
process.once('SIGTERM', async () => {
  await app[Symbol.asyncDispose]()
  process.exit(0)
})
