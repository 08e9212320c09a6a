// Messages that the account has starred, and those that someone keeps in a chat whose messages disappear (G104).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const { body: sent } = await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'oi' })
  await kit.settle()
  const { body: written } = await api.post(`${ana.base}/messages`, {
    to: instance.phone,
    text: 'oi, tudo bem?',
  })
  await kit.settle()
  const path = (id: string) => `${instance.base}/messages/${id}`
  const read = async (id: string) => (await api.get(path(id))).body
  const starred = async () => {
    const { body } = await api.get(`${instance.base}/messages?starred=true`)
    return body.items.map(({ waMessageId }: { waMessageId: string }) => waMessageId)
  }
  return { api, instance, ana, sent, written, path, read, starred }
}

describe('starred messages', () => {
  it('a message is starred for the account only, on its phone too, is listed, and can be unstarred', async () => {
    const { api, instance, ana, sent, written, path, read, starred } = await ready()
    assert.deepEqual(await starred(), [])
    for (const { waMessageId } of [sent, written]) {
      const answer = await api.put(`${path(waMessageId)}/star`)
      assert.deepEqual([answer.status, answer.body.starred], [200, true])
    }
    await kit.settle()
    assert.deepEqual(await starred(), [written.waMessageId, sent.waMessageId])
    const shown = async (base: string) => {
      const { body } = await api.get(`${base}/inbox`)
      return body.items[0].starred as boolean | undefined
    }
    assert.equal(await shown(instance.phoneBase), true)
    assert.equal(await shown(ana.base), undefined)
    const taken = await api.delete(`${path(written.waMessageId)}/star`)
    assert.equal(taken.status, 200)
    assert.ok(!('starred' in taken.body))
    assert.ok(!('starred' in (await read(written.waMessageId))))
    assert.deepEqual(await starred(), [sent.waMessageId])
    assert.equal(await shown(instance.phoneBase), undefined)
  })

  it('the phone of the account can star messages, and no contact can', async () => {
    const { api, instance, ana, sent, written, read } = await ready()
    for (const { waMessageId } of [sent, written]) {
      const of = (base: string) => `${base}/messages/${waMessageId}/star`
      assert.equal((await api.put(of(ana.base))).body.starred, true)
      await kit.settle()
      assert.ok(!('starred' in (await read(waMessageId))))
      assert.equal((await api.put(of(instance.phoneBase))).status, 200)
      await kit.settle()
      assert.equal((await read(waMessageId)).starred, true)
      assert.equal((await api.delete(of(instance.phoneBase))).status, 200)
      await kit.settle()
      assert.ok(!('starred' in (await read(waMessageId))))
    }
    assert.equal((await api.put(`${ana.base}/messages/x/star`)).status, 404)
  })

  it('messages of a group, its own and those of others, are starred for the account only', async () => {
    const { api, instance, ana, path, read } = await ready()
    const bia = await kit.phone(api, { name: 'Bia' })
    const { body: group } = await api.post(`${ana.base}/groups`, {
      subject: 'Obras',
      participants: [instance.phone, bia.phone],
    })
    await kit.settle()
    const { body: said } = await api.post(`${ana.base}/messages`, { to: group.id, text: 'oi' })
    const { body: own } = await api.post(`${instance.base}/messages`, { to: group.id, text: 'olá' })
    await kit.settle()
    for (const { waMessageId } of [said, own]) {
      assert.equal((await api.put(`${path(waMessageId)}/star`)).status, 200)
      for (const phone of [ana, bia]) {
        const { items } = (await api.get(`${phone.base}/inbox`)).body
        assert.ok(items.every((one: { starred?: true }) => !one.starred))
      }
      const onPhone = `${instance.phoneBase}/messages/${waMessageId}/star`
      assert.equal((await api.put(onPhone)).body.starred, true)
      assert.ok(!('starred' in (await api.delete(onPhone)).body))
      await kit.settle()
      assert.ok(!('starred' in (await read(waMessageId))))
    }
  })

  it('starred messages are neither queued nor deleted, and a deleted one loses its star', async () => {
    const { api, instance, ana, sent, path, read, starred } = await ready()
    const body = { to: ana.phone, text: 'depois', delayMs: 30_000 }
    const { body: late } = await api.post(`${instance.base}/messages`, body)
    assert.equal((await api.put(`${path(late.id)}/star`)).status, 409)
    assert.equal((await api.put(`${path('msg_nada')}/star`)).status, 404)
    await api.put(`${path(sent.id)}/star`)
    await api.delete(path(sent.id))
    assert.ok(!('starred' in (await read(sent.id))))
    assert.deepEqual(await starred(), [])
    assert.equal((await api.put(`${path(sent.id)}/star`)).status, 409)
    // The phone of a contact loses its own star, too.
    const { body: other } = await api.post(`${instance.base}/messages`, {
      to: ana.phone,
      text: 'x',
    })
    await kit.settle()
    await api.put(`${ana.base}/messages/${other.waMessageId}/star`)
    await api.delete(path(other.id))
    const { items } = (await api.get(`${ana.base}/inbox`)).body
    assert.ok(items[0].deletedAt && !('starred' in items[0]))
  })

  it('messages to a number without a virtual phone can be starred, too', async () => {
    const { api, instance, path } = await ready()
    const { body } = await api.post(`${instance.base}/messages`, { to: '5511980000001', text: 'x' })
    await kit.settle()
    assert.equal((await api.put(`${path(body.id)}/star`)).body.starred, true)
  })
})

describe('kept messages', () => {
  it('a kept message shows that it is kept, until that is undone', async () => {
    const { api, ana, sent, written, read } = await ready()
    for (const { waMessageId } of [sent, written]) {
      const keep = `${ana.base}/messages/${waMessageId}/keep`
      assert.equal((await api.put(keep)).body.kept, true)
      await kit.settle()
      assert.equal((await read(waMessageId)).kept, true)
      const { body } = await api.delete(keep)
      assert.ok(!('kept' in body))
      await kit.settle()
      assert.ok(!('kept' in (await read(waMessageId))))
    }
    assert.equal((await api.put(`${ana.base}/messages/x/keep`)).status, 404)
  })

  it('in a group that only admins may edit, only admins can keep messages', async () => {
    const { api, instance, ana, read } = await ready()
    const bia = await kit.phone(api, { name: 'Bia' })
    const { body: group } = await api.post(`${ana.base}/groups`, {
      subject: 'Obras',
      participants: [instance.phone, bia.phone],
    })
    await api.patch(`${ana.base}/groups/${group.id}`, { settings: { onlyAdminsEdit: true } })
    await kit.settle()
    const { body: said } = await api.post(`${ana.base}/messages`, { to: group.id, text: 'oi' })
    await kit.settle()
    const keep = (phone: typeof ana) => api.put(`${phone.base}/messages/${said.waMessageId}/keep`)
    assert.equal((await keep(bia)).status, 409)
    assert.equal((await keep(ana)).status, 200)
    await kit.settle()
    assert.equal((await read(said.waMessageId)).kept, true)
  })
})
