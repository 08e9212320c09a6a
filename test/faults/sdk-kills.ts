// Kills the server a hundred times between a request of the SDK and its response.
import assert from 'node:assert/strict'
import { createServer, connect, type AddressInfo } from 'node:net'
import { Recado } from '../../packages/sdk/src/index.ts'
import { parseConfig } from '../../src/kernel/config/config.ts'
import { callServer } from '../kit/call.ts'
import { foundCompanies, OWNER } from '../kit/company.ts'
import { findPort, run, type Run } from '../kit/process.ts'
import { createEmbeddedHost } from './database-host.ts'

const KILLS = 100
/** The SDK gives up after this many attempts, which is far more than a restart needs. */
const MAX_RETRIES = 50
/** In odd rounds the server lives on for up to this long after the request, unless it responds first. */
const MAX_DELAY_MS = 8
const READY = 'Recado está no ar.'
const PHONE = '+55 11 98888-7779'

/**
 * Forwards connections to a port. `onRequest` and `onResponse` run when bytes pass in either direction; a response is
 * dropped, and its connection with it, if `onResponse` returns false.
 */
async function startProxy(to: number, on: { request(): void; response(): boolean }) {
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    const close = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (bytes) => {
      upstream.write(bytes)
      on.request()
    })
    upstream.on('data', (bytes) => {
      if (on.response()) client.write(bytes)
      else close()
    })
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}

/**
 * Sends a hundred messages through the SDK. During each, the server is killed: in even rounds after it has committed,
 * when its response is on the way, and in odd rounds some milliseconds after the request has reached it. Throws unless
 * exactly a hundred messages exist.
 */
export async function killBetween(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const host = stack.use(createEmbeddedHost())
  const port = await findPort()
  const env = {
    DATA_DIR: host.dataDir,
    PORT: String(port),
    PRODUCTION_NETWORK: 'simulator',
    LOG_LEVEL: 'error',
    ...host.env,
  }
  await foundCompanies(parseConfig(env), 1)
  let server: Run = run('src/main.ts', [], env)
  stack.defer(async () => {
    server.child.kill('SIGTERM')
    await server.ended
  })
  await server.says(READY)

  let token = ''
  const create = async (path: string, body: object) =>
    (await callServer({ port, token }, 'POST', path, body)).body
  token = String((await create('/v1/auth/login', OWNER))['accessToken'])
  token = String((await create('/v1/keys', { name: 'sdk' }))['key'])
  const { id } = (await create('/v1/instances', { name: 'SDK' })) as { id: string }
  const phone = await create('/v1/simulator/phones', { name: 'Ana' })
  for (;;) {
    const { code } = (await callServer({ port, token }, 'GET', `/v1/instances/${id}/qr/poll`)).body
    const path = `/v1/simulator/phones/${String(phone['id'])}/scan`
    if (code && (await callServer({ port, token }, 'POST', path, { code })).status === 200) break
  }

  let armed: 'request' | 'response' | null = null
  let timer: NodeJS.Timeout | undefined
  let kills = 0
  let restarted = Promise.withResolvers<void>()
  const kill = () => {
    clearTimeout(timer)
    armed = null
    kills++
    server.child.kill('SIGKILL')
    void server.ended
      .then(async () => {
        server = run('src/main.ts', [], env)
        await server.says(READY)
      })
      .then(restarted.resolve, restarted.reject)
  }
  const proxy = await startProxy(port, {
    request() {
      if (armed !== 'request') return
      armed = 'response'
      timer = setTimeout(kill, Math.random() * MAX_DELAY_MS)
    },
    response() {
      if (armed === null) return true
      kill()
      return false
    },
  })
  stack.defer(() => void proxy.server.close())

  const recado = new Recado({
    apiKey: token,
    baseUrl: `http://localhost:${proxy.port}`,
    maxRetries: MAX_RETRIES,
  })
  const ids = new Set<string>()
  for (let round = 0; round < KILLS; round++) {
    restarted = Promise.withResolvers()
    armed = round % 2 === 0 ? 'response' : 'request'
    ids.add((await recado.messages.sendText(id, { to: PHONE, text: `pedido ${round}` })).id)
    await restarted.promise
  }
  let stored = 0
  for await (const _ of recado.messages.list(id)) stored++
  process.stdout.write(
    `SDK: ${kills} kills between request and response, ${ids.size} acknowledged, ${stored} stored (target ${KILLS})\n`,
  )
  assert.deepEqual([kills, ids.size, stored], [KILLS, KILLS, KILLS])
}
