// Settings of groups and the invitations by which people join them.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const INITIAL = {
  onlyAdminsSend: false,
  onlyAdminsEdit: false,
  joinApproval: false,
  disappearingSeconds: 0,
}

async function ready() {
  const api = await kit.key(await kit.project())
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url, events: ['group.updated'] })
  return { api, instance, ana, receiver }
}

describe('the settings of a group', () => {
  it('a PATCH changes only the given settings and records one group.updated', async () => {
    const { api, instance, ana, receiver } = await ready()
    const { base } = instance
    const made = await api.post(`${base}/groups`, { subject: 'Obras', participants: [ana.phone] })
    assert.deepEqual(made.body.settings, INITIAL)
    const path = `${base}/groups/${made.body.id}`
    const settings = { onlyAdminsSend: true, disappearingSeconds: 86_400 }
    const changed = await api.patch(path, { settings })
    assert.equal(changed.status, 200, changed.text)
    const after = { ...INITIAL, ...settings }
    assert.deepEqual(changed.body.settings, after)
    assert.deepEqual((await api.get(path)).body.settings, after)
    assert.equal((await api.patch(path, { settings })).status, 200)
    await kit.settle()
    const told = receiver.events('group.updated').map(({ body }) => body.data.changes)
    assert.deepEqual(told, [{ settings: { from: INITIAL, to: after } }])
    for (const bad of [{}, { disappearingSeconds: 5 }, { onlyAdminsSend: 'sim' }, { outro: true }])
      assert.equal((await api.patch(path, { settings: bad })).status, 400, JSON.stringify(bad))
  })

  it('settings changed on another phone are recorded', async () => {
    const { api, instance, ana, receiver } = await ready()
    const group = { subject: 'Bairro', participants: [instance.phone] }
    const { id } = (await api.post(`${ana.base}/groups`, group)).body
    await kit.settle()
    await api.patch(`${ana.base}/groups/${id}`, { settings: { joinApproval: true } })
    await kit.settle()
    const { settings } = (await api.get(`${instance.base}/groups/${id}`)).body
    assert.deepEqual(settings, { ...INITIAL, joinApproval: true })
    const [told] = receiver.events('group.updated')
    assert.equal(told?.body.data.actor.phone, ana.phone)
    // Only admins may change them.
    const path = `${instance.base}/groups/${id}`
    assert.equal((await api.patch(path, { settings: { joinApproval: false } })).status, 409)
  })
})

describe('the invitation of a group', () => {
  it('the invitation of a group lets an instance join by code or by link, and a reset ends it', async () => {
    const { api, instance, ana } = await ready()
    const other = await kit.phone(api, { name: 'Rui' })
    const group = { subject: 'Vizinhos', participants: [other.phone] }
    const theirs = (await api.post(`${ana.base}/groups`, group)).body.id
    const invite = (await api.get(`${ana.base}/groups/${theirs}/invite`)).body
    assert.equal(invite.url, `https://chat.whatsapp.com/${invite.code}`)
    const path = `${instance.base}/groups/join`
    const joined = await api.post(path, { invite: `${invite.url}?mode=r_c` })
    assert.equal(joined.status, 200, joined.text)
    assert.equal(joined.body.status, 'joined')
    assert.equal(joined.body.group.id, theirs)
    const phones = joined.body.group.participants.map(({ phone }: { phone: string }) => phone)
    assert.ok(phones.includes(instance.phone))
    // Joining again changes nothing.
    assert.equal((await api.post(path, { invite: invite.code })).body.group.id, theirs)
    assert.equal((await api.post(path, { invite: 'convite-que-nao-existe' })).status, 409)
    for (const bad of ['https://exemplo.com/x', 'curto', ''])
      assert.equal((await api.post(path, { invite: bad })).status, 400, bad)
  })

  it('the invitation of a group can be read and replaced only by an admin', async () => {
    const { api, instance, ana } = await ready()
    const { base } = instance
    const made = await api.post(`${base}/groups`, { subject: 'Obras', participants: [ana.phone] })
    const path = `${base}/groups/${made.body.id}/invite`
    const first = await api.get(path)
    assert.equal(first.status, 200, first.text)
    assert.equal((await api.get(path)).body.code, first.body.code)
    const reset = await api.post(`${path}/reset`)
    assert.notEqual(reset.body.code, first.body.code)
    const stale = await api.post(`${base}/groups/join`, { invite: first.body.code })
    assert.equal(stale.status, 409)
    const own = { subject: 'Bairro', participants: [instance.phone] }
    const { id } = (await api.post(`${ana.base}/groups`, own)).body
    await kit.settle()
    assert.equal((await api.get(`${base}/groups/${id}/invite`)).status, 409)
  })

  it('joining a group that requires approval leaves the instance waiting outside of the group', async () => {
    const { api, instance, ana } = await ready()
    const rui = await kit.phone(api, { name: 'Rui' })
    const group = { subject: 'Bairro', participants: [rui.phone] }
    const { id } = (await api.post(`${ana.base}/groups`, group)).body
    await api.patch(`${ana.base}/groups/${id}`, { settings: { joinApproval: true } })
    const { code } = (await api.get(`${ana.base}/groups/${id}/invite`)).body
    const { body } = await api.post(`${instance.base}/groups/join`, { invite: code })
    assert.deepEqual(body, { status: 'pending', group: null })
    assert.equal((await api.get(`${instance.base}/groups/${id}`)).status, 404)
  })
})

describe('requests to join a group', () => {
  it('admins list, approve and reject requests to join a group, and approved members are reported to webhooks', async () => {
    const { api, instance, ana } = await ready()
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', {
      name: 'entradas',
      url: receiver.url,
      events: ['group.participants'],
    })
    const { base } = instance
    const bia = await kit.phone(api, { name: 'Bia' })
    const made = await api.post(`${base}/groups`, {
      subject: 'Clientes',
      participants: [bia.phone],
    })
    const path = `${base}/groups/${made.body.id}`
    await api.patch(path, { settings: { joinApproval: true } })
    const { url } = (await api.get(`${path}/invite`)).body
    const rui = await kit.phone(api, { name: 'Rui' })
    for (const phone of [ana, rui]) {
      const { body } = await api.post(`${phone.base}/groups/join`, { invite: url })
      assert.deepEqual(body, { status: 'pending', group: null })
      await kit.jump(1000)
    }
    const waiting = async () =>
      (await api.get(`${path}/join-requests`)).body.items.map((one: { phone: string }) => one.phone)
    assert.deepEqual(await waiting(), [ana.phone, rui.phone])
    const answer = (action: string, phone: string) =>
      api.post(`${path}/join-requests`, { action, participants: [phone] })
    const approved = await answer('approve', `+${ana.phone}`)
    assert.deepEqual([approved.status, approved.body.participants[0].name], [200, 'Ana'])
    assert.equal((await answer('reject', rui.phone)).status, 200)
    assert.deepEqual(await waiting(), [])
    await kit.settle()
    const members = (await api.get(path)).body.participants.map(
      (one: { phone: string }) => one.phone,
    )
    assert.deepEqual(members.toSorted(), [instance.phone, ana.phone, bia.phone].toSorted())
    const told = receiver.events('group.participants').map(({ body }) => body.data)
    assert.deepEqual(
      told.map(({ action, participants }) => [action, participants[0].phone]),
      [['join', ana.phone]],
    )
    // Repeated, as after a lost response, it says who is in the group.
    assert.equal((await answer('approve', ana.phone)).body.participants[0].phone, ana.phone)
    const unknown = await answer('approve', rui.phone)
    assert.deepEqual([unknown.status, unknown.body.error.field], [400, 'participants'])
    // Only admins see and answer them.
    const { id } = (
      await api.post(`${rui.base}/groups`, { subject: 'Rua', participants: [instance.phone] })
    ).body
    await kit.settle()
    assert.equal((await api.get(`${base}/groups/${id}/join-requests`)).status, 409)
  })
})
