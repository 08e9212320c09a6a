// Blocking people on the network.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function ready() {
  const api = await kit.key(await kit.project())
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const write = async (text: string) => {
    const sent = await api.post(`${ana.base}/messages`, { to: instance.phone, text })
    assert.equal(sent.status, 201)
    await kit.settle()
  }
  const texts = async () => {
    const { items } = (await api.get(`${instance.base}/messages?direction=inbound`)).body
    return items.map(({ text }: { text: string }) => text).toReversed()
  }
  return { api, instance, ana, write, texts }
}

describe('blocking', () => {
  it('direct messages of a blocked person do not arrive, messages in a group do, and all do after unblocking', async () => {
    const { api, instance, ana, write, texts } = await ready()
    const path = `${instance.base}/blocked`
    const group = { subject: 'Obras', participants: [ana.phone] }
    const groupId = (await api.post(`${instance.base}/groups`, group)).body.id
    await write('um')
    assert.equal((await api.put(`${path}/${ana.phone}`)).status, 204)
    // Blocking again has no effect.
    assert.equal((await api.put(`${path}/${ana.phone}`)).status, 204)
    const { items } = (await api.get(path)).body
    assert.deepEqual(
      items.map(({ phone, name }: { phone: string; name: string }) => [phone, name]),
      [[ana.phone, 'Ana']],
    )
    await write('dois')
    await api.post(`${ana.base}/messages`, { to: groupId, text: 'no grupo' })
    await kit.settle()
    assert.deepEqual(await texts(), ['um', 'no grupo'])
    // A number without its country code is completed, as when it was blocked.
    assert.equal((await api.delete(`${path}/${ana.phone.slice(2)}`)).status, 204)
    assert.deepEqual((await api.get(path)).body, { items: [] })
    await write('três')
    assert.deepEqual(await texts(), ['um', 'no grupo', 'três'])
  })

  it('blocking rejects a number without WhatsApp, and an instance that is not connected', async () => {
    const { api, instance, ana } = await ready()
    const path = `${instance.base}/blocked`
    // A number can be unblocked even if it has left the network or is not on the list.
    assert.equal((await api.delete(`${path}/5511988880003`)).status, 204)
    assert.equal((await api.delete(`${path}/abc`)).status, 400)
    for (const bad of ['abc', '5511988880003'])
      assert.equal((await api.put(`${path}/${bad}`)).status, 400, bad)
    await api.post(`${instance.base}/disconnect`)
    assert.equal((await api.put(`${path}/${ana.phone}`)).status, 409)
    assert.equal((await api.get(path)).status, 409)
  })
})
