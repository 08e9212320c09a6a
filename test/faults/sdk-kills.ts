// Kills the server between a request of the SDK and its response.
import assert from 'node:assert/strict'
import { createServer, connect, type AddressInfo } from 'node:net'
import { Recado } from '../../packages/sdk/src/index.ts'
import { createInstallation } from './installation.ts'

/** The SDK gives up after this many attempts, which is far more than a restart needs. */
const MAX_RETRIES = 50
/** In odd rounds the server lives on for up to this long after the request, unless it responds first. */
const MAX_DELAY_MS = 8
const PHONE = '+55 11 98888-7779'

/**
 * Forwards connections to the port that `target` returns. `request` and `response` run when bytes pass in either
 * direction; if `response` returns false, the bytes are dropped and the connection ends.
 */
async function startProxy(on: { target(): number; request(): void; response(): boolean }) {
  const server = createServer((client) => {
    const upstream = connect(on.target(), '127.0.0.1')
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
 * Sends messages through the SDK. During each, the server is killed: in even rounds after it has committed,
 * when its response is on the way, and in odd rounds some milliseconds after the request has reached it. Throws unless
 * there is exactly one message for each.
 */
export async function killBetween(rounds: number): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const place = await createInstallation(stack, 'sdk')
  await place.createCompany()
  let node = await place.start('one')
  place.ports.push(node.port)
  const { key, instance } = await place.signInAndConnect()

  let armed: 'request' | 'response' | null = null
  let timer: NodeJS.Timeout | undefined
  let kills = 0
  let restarted = Promise.withResolvers<void>()
  async function restart(): Promise<void> {
    const { server } = node
    server.child.kill('SIGKILL')
    await server.ended
    node = await place.start('one')
  }
  const kill = () => {
    clearTimeout(timer)
    armed = null
    kills++
    void restart().then(restarted.resolve, restarted.reject)
  }
  const proxy = await startProxy({
    target: () => node.port,
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
    apiKey: key,
    baseUrl: `http://localhost:${proxy.port}`,
    maxRetries: MAX_RETRIES,
  })
  const ids = new Set<string>()
  for (let round = 0; round < rounds; round++) {
    restarted = Promise.withResolvers()
    armed = round % 2 === 0 ? 'response' : 'request'
    const send = { to: PHONE, text: `pedido ${round}` }
    const [message] = await Promise.all([
      recado.messages.sendText(instance, send),
      restarted.promise,
    ])
    ids.add(message.id)
  }
  let stored = 0
  for await (const _ of recado.messages.list(instance)) stored++
  process.stdout.write(
    `SDK: ${kills} kills between request and response, ${ids.size} acknowledged, ${stored} stored (target ${rounds})\n`,
  )
  assert.deepEqual([kills, ids.size, stored], [rounds, rounds, rounds])
}
