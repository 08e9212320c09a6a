// Communities: a group names its community, and webhooks receive changes of it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startScripted } from '../kit/scripted-network.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** An instance in two groups of Ana, of which the first is in her community. */
async function ready() {
  const api = await kit.key(await kit.project())
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url, events: ['group.updated'] })
  const groups: string[] = []
  for (const subject of ['Bloco A', 'Bloco B']) {
    const body = { subject, participants: [instance.phone] }
    groups.push((await api.post(`${ana.base}/groups`, body)).body.id)
  }
  await kit.settle()
  const [first = '', second = ''] = groups
  const body = { subject: 'Condomínio', groups: [first] }
  const made = await api.post(`${ana.base}/communities`, body)
  assert.equal(made.status, 201, made.text)
  await kit.settle()
  return { api, instance, ana, receiver, first, second, community: made.body.id as string }
}

describe('groups of a community', () => {
  it('groups of a community name the community and their part in it, and can be listed by community', async () => {
    const { api, instance, ana, community, first, second } = await ready()
    const list = async (query = '') =>
      (await api.get(`${instance.base}/groups${query}`)).body.items as {
        id: string
        subject: string
        community: { id: string; part: string } | null
        settings: { onlyAdminsSend: boolean }
        participants: { phone: string }[]
      }[]
    const parts = new Map((await list()).map(({ id, community: of }) => [id, of]))
    assert.equal(parts.size, 4)
    assert.deepEqual(parts.get(first), { id: community, part: 'group' })
    assert.deepEqual(parts.get(community), { id: community, part: 'community' })
    assert.equal(parts.get(second), null)
    const inside = await list(`?community=${community}`)
    assert.equal(inside.length, 3)
    const announcements = inside.find(({ community: of }) => of?.part === 'announcements')
    // The members of all its groups receive announcements.
    assert.ok(announcements?.settings.onlyAdminsSend)
    assert.deepEqual(
      new Set(announcements.participants.map(({ phone }) => phone)),
      new Set([ana.phone, instance.phone]),
    )
    assert.deepEqual(await list('?community=120363000000000000@g.us'), [])
  })

  it('a group that joins or leaves a community emits an event to webhooks', async () => {
    const { api, ana, receiver, community, first, second } = await ready()
    const path = (group: string) => `${ana.base}/groups/${group}/community`
    const joined = await api.put(path(second), { communityId: community })
    assert.equal(joined.status, 200, joined.text)
    await kit.settle()
    assert.equal((await api.delete(path(first))).status, 204)
    // Repeating the change has no effect.
    assert.equal((await api.delete(path(first))).status, 204)
    await kit.settle()
    const told = receiver
      .events('group.updated')
      .map(({ body }) => [body.data.groupId, body.data.actor.phone, body.data.changes])
    const inside = { id: community, part: 'group' }
    assert.deepEqual(told, [
      [first, ana.phone, { community: { from: null, to: inside } }],
      [second, ana.phone, { community: { from: null, to: inside } }],
      [first, ana.phone, { community: { from: inside, to: null } }],
    ])
  })

  it('a person who joins a group of a community also joins the community and its announcement group', async () => {
    const { api, instance, ana, community, first } = await ready()
    const rui = await kit.pair(api, 'Rui')
    const joins = { action: 'add', participants: [rui.phone] }
    assert.equal((await api.post(`${ana.base}/groups/${first}/participants`, joins)).status, 201)
    await kit.settle()
    const { items } = (await api.get(`${rui.base}/groups?community=${community}`)).body
    const parts = (items as { community: { part: string } }[]).map(({ community: of }) => of.part)
    assert.deepEqual(parts.toSorted(), ['announcements', 'community', 'group'])
    const known = (await api.get(`${instance.base}/groups/${community}`)).body
    assert.ok(known.participants.some(({ phone }: { phone: string }) => phone === rui.phone))
  })

  it('a group keeps its community when a node of an earlier version reports it without one', async (t) => {
    const { app, connect } = await startScripted()
    t.after(() => app.close())
    const { api, base, listener } = await connect()
    const groupId = '120363000000000001@g.us'
    const community = { id: '120363000000000009@g.us', part: 'group' as const }
    const texts = { subject: 'Bloco A', description: null, owner: null, settings: null }
    const state = { groupId, ...texts, participants: [], createdAt: 0 }
    const report = async (place: { community?: typeof community | null }) => {
      const group = { ...state, ...place }
      await listener.onEvents([{ kind: 'group', group, at: app.clock.now(), id: null }])
      return (await api.get(`${base}/groups/${groupId}`)).body.community
    }
    assert.deepEqual(await report({ community }), community)
    assert.deepEqual(await report({}), community)
    assert.equal(await report({ community: null }), null)
  })

  it('only an admin of both a group and a community can add or remove the group', async () => {
    const { api, instance, ana, community, first, second } = await ready()
    const own = `/v1/simulator/phones/${instance.phoneId}`
    // A member of the group, and of the community.
    const asMember = await api.delete(`${own}/groups/${first}/community`)
    assert.equal(asMember.status, 409, asMember.text)
    assert.equal(
      (await api.post(`${own}/communities`, { subject: 'x', groups: [first] })).status,
      409,
    )
    // An admin of a group cannot take it out of a community of others by putting it into one of their own.
    const action = { action: 'promote', participants: [instance.phone] }
    assert.equal((await api.post(`${ana.base}/groups/${first}/participants`, action)).status, 201)
    const mine = { subject: 'Minha', participants: [] as string[] }
    const third = (await api.post(`${own}/groups`, { ...mine, participants: [ana.phone] })).body.id
    const mineToo = await api.post(`${own}/communities`, { subject: 'Minha', groups: [third] })
    assert.equal(mineToo.status, 201, mineToo.text)
    const taken = await api.put(`${own}/groups/${first}/community`, {
      communityId: mineToo.body.id,
    })
    assert.equal(taken.status, 409, taken.text)
    // A group is in one community, and a community in none.
    for (const one of [first, community]) {
      const again = await api.post(`${ana.base}/communities`, { subject: 'x', groups: [one] })
      assert.equal(again.status, 404, again.text)
    }
    // The community itself, and ids that do not name a group.
    const put = (group: string, communityId: string) =>
      api.put(`${ana.base}/groups/${group}/community`, { communityId })
    assert.equal((await put(community, community)).status, 404)
    assert.equal((await put(second, first)).status, 404)
    assert.equal((await put(second, 'nenhuma')).status, 404)
    const other = await kit.key(await kit.project())
    const theirs = await other.delete(`${ana.base}/groups/${first}/community`)
    assert.equal(theirs.status, 404)
  })
})
