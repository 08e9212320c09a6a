// Hostile requests to the address that Meta posts to: anyone can call it, and a company can sign what it likes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as open, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { request } from 'undici'
import { signatureOf, startGraphServer, type GraphServer } from '../kit/graph-server.ts'
import { connectShop, type Shop } from '../kit/official-shop.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

const ANA = '5511988887777'
const MIB = 1024 * 1024

let kit: TestApp
let graph: GraphServer
before(async () => {
  graph = await startGraphServer()
  kit = await startTestApp({ PRODUCTION_NETWORK: 'whatsapp', CLOUD_API_URL: graph.url })
  graph.ports.set(HOSTS.production, kit.port)
})
after(async () => {
  await kit.close()
  graph.close()
})

const connect = () => connectShop(kit, graph)

/** Posts signed bytes as Meta does; returns the status. */
async function post({ id, number }: Shop, bytes: Buffer | string): Promise<number> {
  const { statusCode, body } = await request(`http://127.0.0.1:${kit.port}/cloud/${id}`, {
    method: 'POST',
    headers: {
      host: HOSTS.production,
      'content-type': 'application/json',
      ...signatureOf(bytes, number.appSecret),
    },
    body: bytes,
  })
  await body.dump()
  return statusCode
}

const report = ({ number }: Shop, value: Record<string, unknown>) => graph.sign(number, value).body
const text = (id: string, timestamp: string) => ({
  contacts: [{ wa_id: ANA, profile: { name: 'Ana' } }],
  messages: [{ id, from: ANA, timestamp, type: 'text', text: { body: 'oi' } }],
})
const seconds = () => String(Math.floor(kit.clock.now() / 1000))

describe('a webhook of the official API that is made to do harm', () => {
  it('a webhook of Meta that is nested too deeply is rejected with 400, however large', async () => {
    const shop = await connect()
    for (const depth of [65, 5000, MIB]) {
      assert.equal(await post(shop, '['.repeat(depth) + ']'.repeat(depth)), 400, `depth ${depth}`)
    }
    assert.equal(await post(shop, report(shop, text('wamid.OK', seconds()))), 200)
  })

  it('a webhook of Meta with an impossible time affects no webhook of another company', async () => {
    const [evil, good] = [await connect(), await connect()]
    const statuses = [{ id: 'wamid.X', status: 'delivered', timestamp: '1e20', recipient_id: ANA }]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => [
        post(evil, report(evil, text(`wamid.EVIL${index}`, '1e20'))),
        post(evil, report(evil, { statuses })),
        post(good, report(good, text(`wamid.GOOD${index}`, seconds()))),
      ]).flat(),
    )
    assert.deepEqual([...new Set(answers)], [200])
    await kit.settle()
    const { body } = await good.api.get(`${good.base}/messages`)
    assert.equal(body.items.length, 10)
  })

  it('a webhook of Meta with thousands of statuses is processed completely', async () => {
    const shop = await connect()
    await post(shop, report(shop, text('wamid.IN', seconds())))
    const { body } = await shop.api.post(`${shop.base}/messages/text`, { to: ANA, text: 'oi' })
    await kit.settle()
    const own = shop.number.posted.at(-1)?.wamid
    const statuses = Array.from({ length: 2900 }, (_, index) => ({
      id: index === 1700 ? own : `wamid.${index}`,
      status: 'delivered',
      timestamp: seconds(),
      recipient_id: ANA,
    }))
    assert.equal(await post(shop, report(shop, { statuses })), 200)
    await kit.settle()
    assert.equal((await shop.api.get(`${shop.base}/messages/${body.id}`)).body.status, 'delivered')
  })
})

it('large requests of anonymous callers leave those of companies undisturbed', async () => {
  const shop = await connect()
  const sockets: Socket[] = []
  const slow = async (id: string, address: string) => {
    const socket = open({ port: kit.port, host: '127.0.0.1', localAddress: address })
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(
      `POST /cloud/${id} HTTP/1.1\r\nhost: ${HOSTS.production}\r\ncontent-type: application/json\r\n` +
        `content-length: ${3 * MIB}\r\n\r\n[`,
    )
    sockets.push(socket)
    return socket
  }
  for (let index = 0; index < 256; index++) await slow(shop.id, `127.0.0.${2 + (index >> 5)}`)
  const media = {
    base64: Buffer.alloc(100_000, 7).toString('base64'),
    mimeType: 'application/octet-stream',
    fileName: 'a.bin',
  }
  const api = await kit.key(await kit.project())
  const { base } = await kit.pair(api)
  const { status } = await api.post(`${base}/messages/media`, {
    to: ANA,
    type: 'document',
    media,
  })
  assert.equal(status, 201)
  for (const id of ['%00', 'ins_%00a', '..%2f', 'x'.repeat(300)]) {
    const { statusCode, body } = await request(`http://127.0.0.1:${kit.port}/cloud/${id}`, {
      method: 'POST',
      headers: { host: HOSTS.production, 'content-type': 'application/json' },
      body: '{}',
    })
    await body.dump()
    assert.ok([403, 404, 414].includes(statusCode), `${id}: ${statusCode}`)
  }
  // A request for an unknown instance is refused before its body comes.
  const unknown = await slow('ins_unknown', '127.0.0.1')
  const [response] = (await once(unknown, 'data')) as [Buffer]
  assert.match(response.toString(), /^HTTP\/1.1 403[^]*connection: close/i)
  for (const socket of sockets) socket.destroy()
})
