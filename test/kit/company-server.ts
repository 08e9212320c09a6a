import { setTimeout as pause } from 'node:timers/promises'
import { parseConfig, type Config } from '../../src/kernel/config/config.ts'
import { callServer } from './call.ts'
import type { Body } from './client.ts'
import { foundCompanies, OWNER } from './company.ts'
import { findPort, makePreparedDataDir, removeDataDir, run } from './process.ts'

const LONGEST_MS = 60_000

/** A server in a separate process, called with the key of one company. */
export type CompanyServer = AsyncDisposable & {
  config: Config
  /** Calls the production host with the company's key and an optional Idempotency-Key. */
  call(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    body?: object,
    idempotencyKey?: string,
  ): Promise<Body>
  /** Kills the process with SIGKILL and starts another on the same data. */
  kill(): Promise<void>
  /** Sends SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>
  /** Polls `so` until it is true; a rejection counts as false. Rejects after a minute. */
  until(so: () => Promise<boolean> | boolean, what: string): Promise<void>
}

/** Starts the real server in a separate process, on its own database, with a subscribed company and its key. */
export async function startCompanyServer(more: Record<string, string>): Promise<CompanyServer> {
  const port = await findPort()
  const dataDir = makePreparedDataDir()
  const env = { DATA_DIR: dataDir, PORT: String(port), LOG_LEVEL: 'error', ...more }
  const config = parseConfig(env)
  await foundCompanies(config, 1)
  let token = ''
  const call: CompanyServer['call'] = async (method, path, body, key) => {
    const headers = key ? { 'idempotency-key': key } : undefined
    return (await callServer({ port, token }, method, path, body, headers)).body
  }
  const start = async () => {
    const started = run('src/main.ts', [], env)
    await started.says('Recado está no ar.')
    return started
  }
  let server = await start()
  token = (await call('POST', '/v1/auth/login', OWNER)).accessToken
  token = (await call('POST', '/v1/keys', { name: 'x' })).key
  const stop = async () => {
    server.child.kill('SIGTERM')
    return (await server.ended).code
  }
  return {
    config,
    call,
    async kill() {
      server.child.kill('SIGKILL')
      await server.ended
      server = await start()
    },
    stop,
    async until(so, what) {
      const end = performance.now() + LONGEST_MS
      while (!(await Promise.resolve(so()).catch(() => false))) {
        if (performance.now() > end)
          throw new Error(
            `timed out after ${LONGEST_MS} ms: ${what}\n${server.output().slice(-2000)}`,
          )
        await pause(20)
      }
    },
    async [Symbol.asyncDispose]() {
      await stop()
      removeDataDir(dataDir)
    },
  }
}
