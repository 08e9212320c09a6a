// Every network re-emits unacknowledged events after a crash.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import type { Body } from '../kit/client.ts'
import { image } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
  await kit.db.system.unsafe(`
    create table told (like simulator_event);
    create function keep_told() returns trigger language plpgsql as
      $$ begin insert into told select new.*; return null; end $$;
    create trigger keep_told after insert on simulator_event for each row execute function keep_told()`)
})
after(() => kit.close())

it('a network that re-emits every event changes no state and causes no webhook event', async () => {
  const api = await kit.key(await kit.project())
  const paired = await kit.pair(api, 'Loja', { business: true })
  const { base } = paired
  const own = { phone: paired.phone, base: paired.phoneBase }
  const receiver = await kit.receiver()
  await api.post('/v1/webhooks', { name: 'w', url: receiver.url })
  const ana = await kit.phone(api, { name: 'Ana' })
  const post = async (path: string, body: object) => {
    const { status, body: made } = await api.post(path, body)
    assert.equal(status, 201, JSON.stringify(made))
    await kit.settle()
    return made
  }
  const write = (body: object) => post(`${ana.base}/messages`, { to: own.phone, ...body })
  const text = await write({ text: 'um' })
  const photo = (await image('jpeg')).toString('base64')
  const gone = await write({ type: 'image', media: { base64: photo }, caption: 'dois' })
  await write({ type: 'reaction', waMessageId: text.waMessageId, emoji: '👍' })
  const poll = await post(`${base}/messages/poll`, {
    to: ana.phone,
    question: 'Qual?',
    options: ['a', 'b'],
  })
  const vote = { waMessageId: poll.waMessageId, options: ['a'] }
  await write({ type: 'pollVote', ...vote })
  await api.patch(`${ana.base}/messages/${text.waMessageId}`, { text: 'um, dois' })
  await api.patch(`${ana.base}/messages/${text.waMessageId}`, { text: 'um, dois, três' })
  await api.delete(`${ana.base}/messages/${gone.waMessageId}`)
  await post(`${ana.base}/calls`, { to: own.phone })
  await kit.jump(31_000)
  await api.patch(ana.base, { name: 'Ana Souza' })
  const group = await post(`${ana.base}/groups`, { subject: 'Obra', participants: [own.phone] })
  const groupPath = `${ana.base}/groups/${group.id}`
  for (const subject of ['Obra 2', 'Obra 3']) await api.patch(groupPath, { subject })
  for (const action of ['promote', 'demote']) {
    await api.post(`${groupPath}/participants`, { action, participants: [own.phone] })
  }
  await write({ to: group.id, text: 'no grupo' })
  const label = await post(`${own.base}/labels`, { name: 'Novo', color: '#00ff00' })
  const chat = `${own.base}/labels/${label.id}/chats/${ana.phone}`
  await api.put(chat)
  await api.delete(chat)
  await api.put(chat)
  const read = await post(`${base}/messages`, { to: ana.phone, text: 'visto?' })
  const all = { waMessageIds: [read.waMessageId] }
  assert.equal((await api.post(`${ana.base}/read`, all)).status, 200)
  await kit.settle()

  const state = async () => {
    const lists = ['messages', 'conversations', 'contacts', 'groups', 'labels', 'calls']
    const shown = await Promise.all(lists.map((list) => api.get(`${base}/${list}`)))
    const events = receiver.received.map(({ body }) => body.event as string).toSorted()
    return { lists: shown.map(({ body }) => body.items as Body[]), events }
  }
  const before = await state()
  const names = [...new Set(before.events)]
  assert.deepEqual(names, [
    'call.received',
    'contact.updated',
    'group.participants',
    'group.updated',
    'label.association',
    'label.updated',
    'message.deleted',
    'message.received',
    'message.status',
  ])
  await kit.db.system`
    insert into simulator_event overriding system value
    select distinct on (id) * from told where payload ->> 'kind' <> 'paired' order by id`
  await kit.jump(2000)
  const [left] = await kit.db.system`select count(*)::int as count from simulator_event`
  assert.equal(left?.['count'], 0)
  assert.deepEqual(await state(), before)
})
