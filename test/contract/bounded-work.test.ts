// Limits on concurrent work that a single caller can start.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { toFailure } from '../../src/platform/http/error-envelope.ts'
import { SemaphoreTimeout } from '../../src/kernel/fair-semaphore.ts'
import { startScripted } from '../kit/scripted-network.ts'
import { openStream } from '../kit/sse.ts'
import { HOSTS, PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

const MIB = 1024 * 1024

/** Signs in to the panel and returns the Cookie header of the new session. */
async function browserOf(kit: TestApp, { email }: Project): Promise<string> {
  const login = { email, password: PASSWORD }
  const { headers } = await kit.client('production').post('/v1/auth/login', login)
  return [headers['set-cookie']]
    .flat()
    .map((line) => line?.split(';')[0])
    .join('; ')
}

describe('streams and announced bodies', () => {
  let kit: TestApp
  before(async () => {
    kit = await startTestApp()
  })
  after(() => kit.close())

  it('a session has at most ten live streams, and opening another closes its oldest only', async () => {
    const cookies = [
      await browserOf(kit, await kit.project()),
      await browserOf(kit, await kit.project()),
    ]
    const open = (cookie = '') =>
      openStream(kit.port, HOSTS.production, '/panel/api/test/live', { cookie })
    const other = await open(cookies[1])
    const streams = []
    for (let count = 0; count < 11; count++) streams.push(await open(cookies[0]))
    await streams[0]?.closed
    for (const stream of [other, ...streams.slice(1)]) {
      assert.equal((await stream.next()).event, 'ready')
      stream.close()
    }
  })

  it('HEAD on streaming routes is rejected with 405 and opens no stream', async () => {
    const project = await kit.project()
    const cookie = await browserOf(kit, project)
    const api = await kit.key(project)
    const { base } = await kit.pair(api)
    const panel = kit.client('production')
    for (const path of ['/panel/api/test/live', '/panel/api/account/export']) {
      assert.equal((await panel.call('HEAD', path, { headers: { cookie } })).status, 405, path)
    }
    assert.equal((await api.call('HEAD', `${base}/qr`, {})).status, 405)
  })

  it('bodies announced but never sent do not consume the memory budget', async () => {
    const api = await kit.key(await kit.project())
    const { base } = await kit.pair(api)
    const sockets = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const socket = connect(kit.port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write(
          `POST ${base}/messages HTTP/1.1\r\nhost: ${HOSTS.test}\r\nauthorization: Bearer ${api.key}\r\n` +
            `content-type: application/json\r\ncontent-length: ${15 * MIB}\r\n\r\n{`,
        )
        return socket
      }),
    )
    const body = JSON.stringify({ to: 1, text: 'x'.repeat(8 * MIB) })
    assert.equal((await api.post(`${base}/messages`, JSON.parse(body))).status, 400)
    for (const socket of sockets) socket.destroy()
  })
})

describe('queue timeouts', () => {
  it('a request that waits too long in a queue fails as unavailable with a retry time', () => {
    const failure = toFailure(new SemaphoreTimeout('waited for 1000 ms'))
    assert.equal(failure.kind, 'unavailable')
    assert.equal(failure.details.retryAfter, 5)
  })
})

describe('commands to an unresponsive network', () => {
  it('an instance has at most a hundred pending commands and one pending pairing code until they time out', async () => {
    let asked = 0
    const neverResponds = () => {
      asked++
      return new Promise<never>(() => {})
    }
    const { app, connect: join } = await startScripted(
      {},
      { lookUp: neverResponds, requestPairingCode: neverResponds },
    )
    const reached = async (count: number) => {
      while (asked < count) await new Promise((resolve) => setImmediate(resolve))
    }
    try {
      const busy = await join()
      const calm = await join()
      let number = 0
      const check = ({ api, base }: typeof busy) =>
        api.post(`${base}/contacts/check`, { phones: [`55119${70_000_000 + ++number}`] })
      const waiting = Array.from({ length: 100 }, () => check(busy))
      await reached(100)
      const refused = await check(busy)
      assert.equal(refused.status, 503)
      assert.equal(refused.headers['retry-after'], '5')
      const other = check(calm)
      await reached(101)

      const { body } = await calm.api.post('/v1/instances', { name: 'Nova' })
      await calm.api.post(`/v1/instances/${body.id}/connect`)
      await app.settle()
      const pair = () =>
        calm.api.post(`/v1/instances/${body.id}/pairing-code`, { phone: '+5511999990000' })
      const first = pair()
      await reached(102)
      const second = await pair()
      assert.equal(second.status, 409)

      app.clock.jump(20_000)
      for (const { status } of await Promise.all([...waiting, other, first])) {
        assert.equal(status, 503)
      }
      const again = pair()
      await reached(103)
      app.clock.jump(20_000)
      await again
    } finally {
      await app.close()
    }
  })
})
