// Commands that need the session of an instance work on any node.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { image } from '../kit/files.ts'
import { cutBus, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let port: number
before(async () => {
  kit = await startTestApp({}, { bus: cutBus() })
  const other = await kit.node({ busCut: true, idle: true })
  port = await other.listen()
})
after(() => kit.close())

/**
 * Advances the clock until the command has a result: with the bus cut, nodes find commands by polling. No time passes
 * before the command is stored, so that it can neither expire nor be polled for too early.
 */
async function passing<T>(ask: () => Promise<T>): Promise<T> {
  const asked = async () => {
    const [row] = await kit.db.system<{ count: number }[]>`
      select count(*)::int as count from network_command`
    return row?.count ?? 0
  }
  const before = await asked()
  let done = false
  const mark = () => void (done = true)
  const answer = ask()
  void answer.then(mark, mark)
  while (!done && (await asked()) === before);
  while (!done) await kit.jump(1000)
  return answer
}

async function ready() {
  const api = await kit.key(await kit.project())
  const paired = await kit.pair(api)
  return { api, elsewhere: kit.client('test', api.key, port), ...paired }
}

describe('a node that does not hold the session', () => {
  it('a message can be edited and deleted on a node that does not hold the session', async () => {
    const { api, elsewhere, base } = await ready()
    const ana = await kit.phone(api)
    const { body: sent } = await api.post(`${base}/messages`, { to: ana.phone, text: 'um' })
    await kit.settle()
    const path = `${base}/messages/${sent.id}`
    assert.equal((await passing(() => elsewhere.patch(path, { text: 'dois' }))).status, 200)
    const inbox = async () => (await api.get(`${ana.base}/inbox`)).body.items[0]
    assert.equal((await inbox()).text, 'dois')
    assert.equal((await passing(() => elsewhere.delete(path))).status, 204)
    assert.notEqual((await inbox()).deletedAt, null)
  })

  it('a group can be created on a node that does not hold the session, and rejections keep their error', async () => {
    const { api, elsewhere, base } = await ready()
    const ana = await kit.phone(api)
    const body = { subject: 'Obra', participants: [ana.phone] }
    const made = await passing(() => elsewhere.post(`${base}/groups`, body))
    assert.equal(made.status, 201)
    const path = `${base}/groups/${encodeURIComponent(made.body.id)}`
    assert.equal((await passing(() => elsewhere.post(`${path}/leave`))).status, 200)
    assert.equal((await passing(() => elsewhere.patch(path, { subject: 'x' }))).status, 409)
  })

  it('a pairing code can be requested on a node that does not hold the session', async () => {
    const { api, elsewhere } = await ready()
    const { body: fresh } = await api.post('/v1/instances', { name: 'nova' })
    await api.get(`/v1/instances/${fresh.id}/qr/poll`)
    await kit.settle()
    const ana = await kit.phone(api)
    const path = `/v1/instances/${fresh.id}/pairing-code`
    const { status, body } = await passing(() => elsewhere.post(path, { phone: ana.phone }))
    assert.equal(status, 201)
    await api.post(`${ana.base}/scan`, { code: body.code })
    await kit.settle()
    assert.equal((await api.get(`/v1/instances/${fresh.id}`)).body.status, 'CONNECTED')
  })

  it('a file is fetched from the network on a node that does not hold the session', async () => {
    const { api, elsewhere, base, phone } = await ready()
    await api.patch(base, { settings: { downloadMedia: false } })
    const ana = await kit.phone(api)
    const photo = await image('jpeg')
    const media = { base64: photo.toString('base64') }
    await api.post(`${ana.base}/messages`, { to: phone, type: 'image', media })
    await kit.settle()
    const [message] = (await api.get(`${base}/messages`)).body.items
    assert.equal(message.media.status, 'pending')
    const answer = await passing(() => elsewhere.download(`${base}/messages/${message.id}/media`))
    assert.deepEqual(answer.bytes, photo)
    assert.equal((await api.get(`${base}/messages/${message.id}`)).body.media.status, 'available')
  })

  it('a command for an instance that is not connected is rejected immediately', async () => {
    const { api, elsewhere, base } = await ready()
    await api.post(`${base}/disconnect`)
    await kit.settle()
    const body = { subject: 'Obra', participants: ['5511988887777'] }
    const { status, body: refusal } = await elsewhere.post(`${base}/groups`, body)
    assert.deepEqual([status, refusal.error.message], [409, 'instância não está conectada'])
  })
})
