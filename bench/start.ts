// Time to ready of the first and second start, and memory of the idle process.
import { readFileSync } from 'node:fs'
import { request } from 'undici'
import { findPort, makeDataDir, removeDataDir, run, START_ARGS } from '../test/kit/process.ts'
import { print } from './load.ts'

const IDLE_MS = 10_000

async function startOnce(dataDir: string) {
  const port = await findPort()
  const env = {
    DATA_DIR: dataDir,
    PORT: String(port),
    LOG_LEVEL: 'error',
    NODE_COMPILE_CACHE: `${dataDir}/cache`,
  }
  const startedAt = performance.now()
  const server = run('src/main.ts', [], env, START_ARGS)
  await server.says('Recado está no ar.')
  const { statusCode } = await request(`http://127.0.0.1:${port}/readyz`)
  if (statusCode !== 200) throw new Error(`GET /readyz returned ${statusCode}`)
  return { server, seconds: (performance.now() - startedAt) / 1000 }
}

/** `npm run bench -- start`: prints both start times and the idle memory. */
export async function benchStart(): Promise<void> {
  const dataDir = makeDataDir()
  const first = await startOnce(dataDir)
  first.server.child.kill('SIGTERM')
  await first.server.ended
  const second = await startOnce(dataDir)
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
  const status = readFileSync(`/proc/${second.server.child.pid}/status`, 'utf8')
  const rssMb = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
  second.server.child.kill('SIGTERM')
  await second.server.ended
  removeDataDir(dataDir)
  print(`first start until ready            ${first.seconds.toFixed(2)} s`)
  print(`second start until ready           ${second.seconds.toFixed(2)} s`)
  print(`idle memory (RSS), after ${IDLE_MS / 1000} s       ${rssMb.toFixed(0)} MB`)
}
