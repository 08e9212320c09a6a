// Messages that are pinned in their chat.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const DAY_S = 86_400

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const { body: sent } = await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'oi' })
  await kit.settle()
  const pin = `${instance.base}/messages/${sent.id}/pin`
  const onPhone = async () => {
    const { body } = await api.get(`${ana.base}/inbox`)
    return body.items[0].pinnedUntil as string | undefined
  }
  return { api, instance, ana, sent, pin, onPhone }
}

describe('pinned messages', () => {
  it('a pinned message is pinned for both sides and listed until it is unpinned', async () => {
    const { api, instance, sent, pin, onPhone } = await ready()
    const list = async () => {
      const query = `conversationId=${sent.conversationId}&pinned=true`
      const { body } = await api.get(`${instance.base}/messages?${query}`)
      return body.items.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await list(), [])
    const pinned = await api.put(pin, { seconds: DAY_S })
    const until = new Date(kit.clock.now() + DAY_S * 1000).toISOString()
    assert.deepEqual([pinned.status, pinned.body.pinnedUntil], [200, until])
    assert.equal(await onPhone(), until)
    assert.deepEqual(await list(), [sent.id])
    const unpinned = await api.delete(pin)
    assert.equal(unpinned.status, 200)
    assert.ok(!('pinnedUntil' in unpinned.body))
    assert.equal(await onPhone(), undefined)
    // A pin ends by itself.
    await api.put(pin, { seconds: DAY_S })
    await kit.jump(DAY_S * 1000 + 1)
    assert.deepEqual(await list(), [])
  })

  it('a contact can pin messages of either side', async () => {
    const { api, instance, ana, sent } = await ready()
    const { body: written } = await api.post(`${ana.base}/messages`, {
      to: instance.phone,
      text: 'oi, tudo bem?',
    })
    await kit.settle()
    for (const waMessageId of [sent.waMessageId, written.waMessageId]) {
      const path = `${ana.base}/messages/${waMessageId}/pin`
      assert.equal((await api.put(path, { seconds: DAY_S })).status, 200)
      await kit.settle()
      const message = `${instance.base}/messages/${waMessageId}`
      assert.ok((await api.get(message)).body.pinnedUntil)
      assert.equal((await api.delete(path)).status, 200)
      await kit.settle()
      assert.ok(!('pinnedUntil' in (await api.get(message)).body))
    }
    const unknown = await api.put(`${ana.base}/messages/x/pin`, { seconds: DAY_S })
    assert.equal(unknown.status, 404)
  })

  it('only members who may edit a group can pin messages in it', async () => {
    const { api, instance, ana } = await ready()
    const bia = await kit.phone(api, { name: 'Bia' })
    const { body: group } = await api.post(`${ana.base}/groups`, {
      subject: 'Obras',
      participants: [instance.phone, bia.phone],
    })
    await kit.settle()
    const to = group.id
    const { body: sent } = await api.post(`${instance.base}/messages`, { to, text: 'oi' })
    await kit.settle()
    const pin = () => api.put(`${instance.base}/messages/${sent.id}/pin`, { seconds: DAY_S })
    assert.equal((await pin()).status, 200)
    await api.patch(`${ana.base}/groups/${to}`, { settings: { onlyAdminsEdit: true } })
    await kit.settle()
    assert.equal((await pin()).status, 409)
    const from = (phone: typeof ana) => api.delete(`${phone.base}/messages/${sent.waMessageId}/pin`)
    assert.equal((await from(bia)).status, 409)
    const message = `${instance.base}/messages/${sent.id}`
    assert.ok((await api.get(message)).body.pinnedUntil)
    assert.equal((await from(ana)).status, 200)
    await kit.settle()
    assert.ok(!('pinnedUntil' in (await api.get(message)).body))
  })

  it('a message that is queued or deleted, or an unsupported duration, cannot be pinned', async () => {
    const { api, instance, ana, pin, sent } = await ready()
    for (const body of [{}, { seconds: 60 }, { seconds: '86400' }])
      assert.equal((await api.put(pin, body)).status, 400)
    const { body: late } = await api.post(`${instance.base}/messages`, {
      to: ana.phone,
      text: 'depois',
      delayMs: 30_000,
    })
    const path = `${instance.base}/messages/${late.id}/pin`
    assert.equal((await api.put(path, { seconds: DAY_S })).status, 409)
    // A deleted message is no longer pinned.
    await api.put(pin, { seconds: DAY_S })
    await api.delete(`${instance.base}/messages/${sent.id}`)
    const gone = await api.get(`${instance.base}/messages/${sent.id}`)
    assert.ok(gone.body.deletedAt && !('pinnedUntil' in gone.body))
    assert.equal((await api.put(pin, { seconds: DAY_S })).status, 409)
  })
})
