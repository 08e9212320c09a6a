// A team that shares conversations: assignment, status, notes and quick replies (G79).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body, Client } from '../kit/client.ts'
import { lockIsAwaited } from '../kit/lock-is-awaited.ts'
import { PASSWORD, startTestApp, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

let made = 0
/** Adds a member to a Project's account, and returns their id. */
async function join(
  project: Project,
  role: string,
  name?: string,
): Promise<{ id: string; email: string }> {
  const owner = await kit.login(project)
  const email = `atende-${++made}@empresa.com.br`
  await owner.post('/panel/api/members/invitations', { email, role })
  const mail = kit.mails.findLast(({ to }) => to === email)
  const token = /\/convite\?token=(\S+)/.exec(mail?.text ?? '')?.[1]
  const accepted = await kit
    .client('test')
    .post('/panel/api/accept-invitation', { token, password: PASSWORD, name })
  assert.equal(accepted.status, 204)
  const { items } = (await owner.get('/panel/api/members')).body
  return items.find((member: { email: string }) => member.email === email)
}

/** A paired instance that Ana has written to. */
async function world() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const says = async (text: string, from = ana) => {
    assert.equal(
      (await api.post(`${from.base}/messages`, { to: instance.phone, text })).status,
      201,
    )
    await kit.settle()
  }
  await says('oi')
  const path = `${instance.base}/conversations`
  const list = async (query = ''): Promise<Body[]> => (await api.get(`${path}${query}`)).body.items
  const [conversation] = await list()
  const one = `${path}/${conversation?.id}`
  const show = async (): Promise<Body> => (await api.get(one)).body
  return { project, api, instance, ana, says, path, list, one, show, id: conversation?.id }
}

const audited = async (project: Project, action: string): Promise<Body[]> =>
  (await (await kit.login(project)).get(`/panel/api/audit?q=${action}`)).body.items

describe('a conversation of a team', () => {
  it('a conversation of a team is reopened when its contact writes, and keeps its assignee', async () => {
    const { project, api, ana, instance, says, one, show, list } = await world()
    const bia = await join(project, 'Atendente')
    assert.deepEqual([(await show()).status, (await show()).assignee], ['open', null])
    for (const status of ['waiting', 'done']) {
      const { body } = await api.patch(one, { status, assigneeId: bia.id })
      assert.deepEqual(
        [body.status, body.assignee],
        [status, { id: bia.id, email: bia.email, name: null }],
      )
      await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'até logo' })
      await kit.settle()
      assert.equal((await show()).status, status, 'an own message changes nothing')
      assert.deepEqual(await list('?status=open'), [])
      await says('mais uma coisa')
      const again = await show()
      assert.deepEqual([again.status, again.assignee.id], ['open', bia.id])
      assert.equal((await list('?status=open')).length, 1)
    }
  })

  it('a conversation of a team is only assigned to a member who may answer', async () => {
    const { project, api, one, show, list } = await world()
    const [bia, rui] = [await join(project, 'Atendente'), await join(project, 'Financeiro')]
    const other = await join(await kit.project(), 'Atendente')
    for (const assigneeId of [rui.id, other.id, 'usr_nenhum', '', api.keyId]) {
      const { status, body } = await api.patch(one, { assigneeId })
      assert.equal(status, 400, assigneeId)
      assert.equal(body.error.message, 'assigneeId: não é alguém da equipe que possa atender')
    }
    assert.equal((await list('?assigneeId=none')).length, 1)
    assert.equal((await api.patch(one, { assigneeId: bia.id })).status, 200)
    const found = async () => [
      (await list(`?assigneeId=${bia.id}`)).length,
      (await list('?assigneeId=none')).length,
    ]
    assert.deepEqual(await found(), [1, 0])
    const owner = await kit.login(project)
    assert.equal((await owner.delete(`/panel/api/members/${bia.id}`)).status, 204)
    assert.equal((await show()).assignee, null)
    assert.equal((await list('?assigneeId=none')).length, 1)
    assert.equal((await api.patch(one, { assigneeId: bia.id })).status, 400)
  })

  it('a conversation of a team can be given back to the team, and the audit log names who assigned and closed it', async () => {
    const { project, api, one, id } = await world()
    const bia = await join(project, 'Atendente')
    const owner = await kit.login(project)
    const inPanel = `/panel/api/test${one}`
    assert.equal((await owner.patch(inPanel, { assigneeId: bia.id })).status, 200)
    assert.equal((await api.patch(one, { assigneeId: 'none', status: 'done' })).body.assignee, null)
    assert.equal((await api.patch(one, { status: 'done', pinned: true })).body.pinned, true)
    const assigned = await audited(project, 'conversation.assign')
    assert.deepEqual(
      assigned.map(({ actor, object, after: { assigneeId } }) => [actor, object, assigneeId]),
      [
        [api.keyId, id, null],
        [assigned[1]?.actor, id, bia.id],
      ],
    )
    assert.match(assigned[1]?.actor, /^usr_/)
    const closed = await audited(project, 'conversation.status')
    assert.deepEqual(
      closed.map(({ before, after: changed }) => [before.status, changed.status]),
      [['open', 'done']],
      'setting the same status again is no change',
    )
  })

  it('a change of a conversation that is merged meanwhile applies to the one it was merged into', async () => {
    const { api, path, instance, one, id } = await world()
    const sent = await api.post(`${instance.base}/messages`, { to: '5511977776666', text: 'oi' })
    const { conversationId } = sent.body
    const merging = Promise.withResolvers<void>()
    const merged = kit.db.transaction(async (tx) => {
      await tx.system`update conversation set merged_into = ${conversationId} where id = ${id ?? ''}`
      await merging.promise
    })
    const changing = api.patch(one, { archived: true, status: 'waiting' })
    await lockIsAwaited(kit.db, 'update conversation set archived')
    merging.resolve()
    await merged
    const { status, body } = await changing
    assert.deepEqual(
      [status, body.id, body.archived, body.status],
      [200, conversationId, true, 'waiting'],
    )
    assert.equal((await api.get(`${path}/${conversationId}`)).body.archived, true)
  })

  it('a conversation of a team rejects an empty change and an unknown status', async () => {
    const { api, one, path } = await world()
    for (const body of [
      {},
      { status: 'lost' },
      { assigneeId: 5 },
      { status: null },
      { assigneeId: null },
    ]) {
      assert.equal((await api.patch(one, body)).status, 400, JSON.stringify(body))
    }
    assert.equal((await api.get(`${path}?status=lost`)).status, 400)
  })
})

describe('what each member has not read', () => {
  /** The conversation of `world` with what the owner and Bia, another member, find unread. */
  async function team() {
    const made = await world()
    const bia = await join(made.project, 'Atendente')
    const owner = await kit.login(made.project)
    const other = await kit.login({ ...made.project, email: bia.email })
    const at = `/panel/api/test${made.one}`
    const unread = async () =>
      Promise.all(
        [owner, other, made.api].map(async (client, index) => {
          const { body } = await client.get(index === 2 ? made.one : at)
          const list = index === 2 ? made.path : `/panel/api/test${made.path}`
          const { items } = (await client.get(`${list}?unread=true`)).body
          assert.equal(
            items.length,
            body.unreadCount > 0 ? 1 : 0,
            'the filter agrees with the count',
          )
          assert.equal(
            (await client.get(`${list}?unread=false`)).body.items.length,
            1 - items.length,
          )
          return body.unreadCount
        }),
      )
    const { instance, id: conversationId } = made
    const read = async (client: Client, prefix = '/panel/api/test') => {
      const path = `${prefix}${instance.base}/messages/read`
      assert.equal((await client.post(path, { conversationId })).status, 200)
    }
    return { ...made, owner, other, unread, read }
  }

  it('a conversation stays unread for a member when another member reads it', async () => {
    const { owner, other, unread, read, says } = await team()
    assert.deepEqual(await unread(), [1, 1, 1])
    await read(owner)
    assert.deepEqual(await unread(), [0, 1, 0])
    await says('mais uma')
    assert.deepEqual(await unread(), [1, 2, 1])
    await read(owner)
    await read(other)
    assert.deepEqual(await unread(), [0, 0, 0])
    await says('e outra')
    await read(other)
    assert.deepEqual(await unread(), [1, 0, 0])
    await read(owner)
    assert.deepEqual(await unread(), [0, 0, 0])
  })

  it('a conversation is read for all members once one answers in the panel or a program marks it as read', async () => {
    const { api, owner, unread, read, says, instance, ana } = await team()
    await read(owner)
    const answer = await owner.post(`/panel/api/test${instance.base}/messages/text`, {
      to: ana.phone,
      text: 'já vejo',
    })
    assert.equal(answer.status, 201)
    assert.deepEqual(await unread(), [0, 0, 0])
    await says('obrigada')
    await read(owner)
    assert.deepEqual(await unread(), [0, 1, 0])
    await read(api, '')
    assert.deepEqual(await unread(), [0, 0, 0])
  })

  it('a member marks a conversation as unread for themselves, and a program for all', async () => {
    const { api, one, owner, other, unread, read, says } = await team()
    const at = `/panel/api/test${one}`
    const mark = async (client: Client, path: string) => {
      const { status, body } = await client.patch(path, { unread: true })
      assert.equal(status, 200)
      assert.equal(body.unreadCount, 1)
    }
    await says('segunda')
    await read(api, '')
    await mark(owner, at)
    await mark(owner, at)
    assert.deepEqual(await unread(), [1, 0, 0])
    await says('terceira')
    assert.deepEqual(await unread(), [2, 1, 1])
    // What is unread already keeps its count.
    assert.equal((await other.patch(at, { unread: true })).body.unreadCount, 1)
    assert.equal((await owner.patch(at, { unread: true })).body.unreadCount, 2)
    await read(owner)
    await read(other)
    assert.deepEqual(await unread(), [0, 0, 0])
    await mark(api, one)
    await mark(api, one)
    assert.deepEqual(await unread(), [1, 1, 1])
    await read(other)
    assert.deepEqual(await unread(), [1, 0, 0])
    await read(owner)
    assert.deepEqual(await unread(), [0, 0, 0])
  })

  it('a conversation in which nothing was received cannot be marked as unread', async () => {
    const { api, path, instance, one } = await team()
    const sent = await api.post(`${instance.base}/messages`, { to: '5511977776666', text: 'oi' })
    const silent = `${path}/${sent.body.conversationId}`
    const { status, body } = await api.patch(silent, { unread: true, archived: true })
    assert.equal(status, 409)
    assert.match(body.error.message, /não tem mensagem recebida/)
    assert.equal((await api.get(silent)).body.archived, false)
    for (const value of [false, null, 'true', 1])
      assert.equal((await api.patch(one, { unread: value })).status, 400, String(value))
  })

  it('a message that a member has scheduled leaves what other members have not read unread', async () => {
    const { owner, unread, read, says, instance, ana } = await team()
    await read(owner)
    const scheduled = await owner.post(`/panel/api/test${instance.base}/scheduled-messages`, {
      sendAt: new Date(kit.clock.now() + 60_000).toISOString(),
      message: { type: 'text', to: ana.phone, text: 'bom dia' },
    })
    assert.equal(scheduled.status, 201, scheduled.text)
    await says('tem alguém aí?')
    await read(owner)
    await kit.jump(61_000)
    const sent = await owner.get(`/panel/api/test${instance.base}/messages?direction=outbound`)
    assert.equal(sent.body.items[0]?.text, 'bom dia')
    const [mine, others] = await unread()
    assert.deepEqual([mine, others], [0, 2])
  })

  it('a member who joins later starts with the unread count of the team', async () => {
    const { project, owner, read, says, one } = await team()
    await read(owner)
    await says('tem alguém aí?')
    const rui = await join(project, 'Atendente')
    const late = await kit.login({ ...project, email: rui.email })
    assert.equal((await late.get(`/panel/api/test${one}`)).body.unreadCount, 1)
  })

  it('unread counts per member are stored only for members who may attend', async () => {
    const { project, read, id } = await team()
    const rui = await join(project, 'Financeiro')
    await read(await kit.login(project))
    const rows = await kit.db
      .system`select user_id from conversation_behind where conversation_id = ${id}`
    assert.equal(rows.length, 1)
    assert.notEqual(rows[0]?.['userId'], rui.id)
  })

  it('the unread counts of members move with a conversation that is merged into another', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { base, phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const bia = await join(project, 'Atendente')
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const early = (await api.post(`${base}/messages`, { to: String(row?.['lid']), text: 'antes' }))
      .body
    await kit.db.system`
      insert into conversation_behind (conversation_id, user_id, since, first_seq)
      values (${early.conversationId}, ${bia.id}, ${new Date(kit.clock.now())}, 0)`
    await kit.settle()
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    const [left] = (await api.get(`${base}/conversations`)).body.items
    const rows = await kit.db
      .system`select conversation_id from conversation_behind where user_id = ${bia.id}`
    assert.deepEqual(
      rows.map((one) => one['conversationId']),
      [left.id],
    )
  })
})

describe('one inbox of several instances', () => {
  it('the inbox of several instances lists the conversations of all, newest first, with the same filters, and none of a deleted instance', async () => {
    const { api, instance, ana, says, id } = await world()
    const second = await kit.pair(api)
    const bia = await kit.phone(api, { name: 'Bia' })
    kit.clock.jump(1000)
    await api.post(`${bia.base}/messages`, { to: second.phone, text: 'boa tarde' })
    await kit.settle()
    const list = async (query = ''): Promise<Body[]> =>
      (await api.get(`/v1/conversations${query}`)).body.items
    const names = async (query = '') =>
      (await list(query)).map(({ instanceId, contact }) => [instanceId, contact.name])
    assert.deepEqual(await names(), [
      [second.id, 'Bia'],
      [instance.id, 'Ana'],
    ])
    kit.clock.jump(1000)
    await says('de novo', ana)
    assert.deepEqual(await names('?limit=1'), [[instance.id, 'Ana']])
    assert.deepEqual(await names('?limit=1&offset=1'), [[second.id, 'Bia']])
    assert.deepEqual(await names('?q=bia'), [[second.id, 'Bia']])
    await api.patch(`${instance.base}/conversations/${id}`, { status: 'done' })
    assert.deepEqual(await names('?status=open'), [[second.id, 'Bia']])
    assert.equal((await api.get(`/v1/conversations/${id}`)).body.contact.name, 'Ana')
    assert.equal((await api.delete(second.base)).status, 204)
    await kit.settle()
    assert.deepEqual(await names(), [[instance.id, 'Ana']])
  })

  it('the inbox of several instances is forbidden to a key for some instances', async () => {
    const { project, instance, id } = await world()
    const restrictions = { instanceIds: [instance.id] }
    const made = await (await kit.login(project)).post('/v1/keys', { name: 'CRM', restrictions })
    const key = kit.client('test', made.body.key)
    for (const path of ['/v1/conversations', `/v1/conversations/${id}`])
      assert.equal((await key.get(path)).body.error.reason, 'KEY_RESTRICTED')
  })
})

describe('notes on a conversation', () => {
  it('notes on a conversation are visible to the team, never to the contact, and survive a merge', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { base, phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const [row] = await kit.db.system`select lid from simulator_phone where id = ${ana.id}`
    const lid = String(row?.['lid'])
    // Two conversations of one person, which the first message of that person merges.
    const early = (await api.post(`${base}/messages`, { to: lid, text: 'antes' })).body
    const later = (await api.post(`${base}/messages`, { to: ana.phone, text: 'antes' })).body
    const pathOf = (id: string) => `${base}/conversations/${id}/notes`
    const write = (id: string, text: string) => api.post(pathOf(id), { text })
    assert.equal((await write(early.conversationId, 'um')).status, 201)
    const owner = await kit.login(project)
    const noted = await owner.post(`/panel/api/test${pathOf(later.conversationId)}`, {
      text: 'dois',
    })
    assert.match(noted.body.author.id, /^usr_/)
    assert.equal(noted.body.author.name, project.email)
    await kit.settle()
    await api.post(`${ana.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    assert.equal((await api.get(`${base}/conversations`)).body.items.length, 1)
    for (const { conversationId } of [early, later]) {
      const notes: Body[] = (await api.get(pathOf(conversationId))).body.items
      assert.deepEqual(
        notes.map(({ text, author }) => [text, author.id]),
        [
          ['dois', noted.body.author.id],
          ['um', api.keyId],
        ],
      )
      const [{ id }] = (await api.get(`${base}/conversations`)).body.items
      assert.deepEqual([...new Set(notes.map((note) => note['conversationId']))], [id])
    }
    const inbox = await api.get(`${ana.base}/inbox`)
    assert.ok(!inbox.text.includes('dois') && inbox.text.includes('antes'))
  })

  it('notes on a conversation are deleted once, listed in pages, newest first, and limited in length', async () => {
    const { project, api, one } = await world()
    const ids: string[] = []
    for (const text of ['um', 'dois', 'três']) {
      ids.push((await api.post(`${one}/notes`, { text })).body.id)
    }
    const page = await api.get(`${one}/notes?limit=2`)
    assert.deepEqual(
      [page.body.items.map(({ text }: Body) => text), page.body.hasMore],
      [['três', 'dois'], true],
    )
    assert.equal((await api.delete(`${one}/notes/${ids[0]}`)).status, 204)
    assert.equal((await api.delete(`${one}/notes/${ids[0]}`)).status, 404)
    assert.equal((await audited(project, 'note.delete'))[0]?.object, ids[0])
    assert.equal((await api.post(`${one}/notes`, { text: 'x'.repeat(4097) })).status, 400)
    assert.equal((await api.post(`${one}/notes`, { text: '' })).status, 400)
  })

  it('notes notify only the members they mention, until these open the conversation', async () => {
    const { project, api, instance, one, id } = await world()
    const [bia, leo] = [await join(project, 'Atendente'), await join(project, 'Atendente')]
    const asBia = await kit.login({ ...project, email: bia.email })
    const asLeo = await kit.login({ ...project, email: leo.email })
    const unread = async (client: Client): Promise<Body[]> =>
      (await client.get('/panel/api/test/mentions')).body.items
    const write = (client: Client, base: string, body: object) => client.post(`${base}/notes`, body)
    const { body: note } = await write(asBia, `/panel/api/test${one}`, {
      text: '@leo e @bia: confiram o prazo',
      mentions: [leo.id, bia.id, leo.id],
    })
    assert.deepEqual(
      note.mentions.map(({ name }: Body) => name).toSorted(),
      [bia.email, leo.email].toSorted(),
    )
    assert.deepEqual((await api.get(`${one}/notes`)).body.items[0].mentions, note.mentions)
    assert.deepEqual(await unread(asBia), [], 'the author has read the note')
    const [mention] = await unread(asLeo)
    assert.deepEqual(
      [mention?.['noteId'], mention?.['conversationId'], mention?.['author'].name],
      [note.id, id, bia.email],
    )
    assert.deepEqual((await asLeo.get('/panel/api/production/mentions')).body.items, [])
    const read = { conversationId: id }
    assert.equal((await asBia.post('/panel/api/test/mentions/read', read)).status, 204)
    assert.equal((await unread(asLeo)).length, 1)
    assert.equal((await asLeo.post('/panel/api/production/mentions/read', read)).status, 204)
    assert.equal((await unread(asLeo)).length, 1)
    assert.equal((await asLeo.post('/panel/api/test/mentions/read', read)).status, 204)
    assert.deepEqual(await unread(asLeo), [])
    await write(api, one, { text: '@leo', mentions: [leo.id] })
    assert.equal((await unread(asLeo)).length, 1)
    const [{ id: second }] = (await api.get(`${one}/notes`)).body.items
    assert.equal((await api.delete(`${one}/notes/${second}`)).status, 204)
    assert.deepEqual(await unread(asLeo), [], 'a deleted note mentions nobody')
    await write(api, one, { text: '@leo', mentions: [leo.id] })
    assert.equal((await api.delete(instance.base)).status, 204)
    assert.deepEqual(await unread(asLeo), [], 'nor one of an instance that was deleted')
  })

  it('notes can mention only members who may answer', async () => {
    const { project, api, one } = await world()
    const rui = await join(project, 'Financeiro')
    const other = await join(await kit.project(), 'Atendente')
    for (const id of [rui.id, other.id, api.keyId, '']) {
      const { status, body } = await api.post(`${one}/notes`, { text: '@x', mentions: [id] })
      assert.deepEqual([status, body.error.field], [400, 'mentions'], id)
    }
    assert.deepEqual((await api.get(`${one}/notes`)).body.items, [])
  })

  it('notes on a conversation are written once for one Idempotency-Key, and are at most 1,000', async () => {
    const { api, one, id } = await world()
    const write = (key: string) =>
      api.post(`${one}/notes`, { text: 'um' }, { 'idempotency-key': key })
    const first = await write('a')
    assert.deepEqual((await write('a')).body, first.body)
    await kit.db.system`
      insert into conversation_note (id, project_id, mode, instance_id, conversation_id, author_id, text,
        created_at)
      select 'not_x' || n, project_id, mode, instance_id, conversation_id, author_id, text, created_at
      from conversation_note, generate_series(1, 999) n where conversation_id = ${id}`
    const { status, body } = await write('b')
    assert.deepEqual(
      [status, body.error.message],
      [409, 'limite de 1.000 notas nesta conversa atingido'],
    )
  })
})

describe('quick replies', () => {
  it('quick replies are found by shortcut or text, unique in a Project and mode', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const create = (client: Client, shortcut: string, text = 'Olá, {{nome}}!') =>
      client.post('/v1/quick-replies', { shortcut, text })
    const made = await create(api, 'Saudação')
    assert.deepEqual(
      [made.status, made.body.shortcut, made.body.text],
      [201, 'saudação', 'Olá, {{nome}}!'],
    )
    const taken = await create(api, 'SAUDAÇÃO')
    assert.deepEqual(
      [taken.status, taken.body.error.message],
      [409, 'shortcut: já existe uma resposta com o atalho saudação'],
    )
    await create(api, 'horario', 'Abrimos às 8h')
    const find = async (q: string) =>
      (await api.get(`/v1/quick-replies?q=${q}`)).body.items.map(({ shortcut }: Body) => shortcut)
    assert.deepEqual(await find(''), ['horario', 'saudação'])
    assert.deepEqual(await find('saudacao'), ['saudação'])
    assert.deepEqual(await find('ABRIMOS'), ['horario'])
    assert.deepEqual(await find('%25'), [])
    const live = await kit.key(project, 'production')
    assert.equal((await create(live, 'saudação')).status, 201)
    assert.equal((await create(await kit.key(await kit.project()), 'saudação')).status, 201)
    for (const shortcut of ['', 'duas palavras', '/oi', 'a'.repeat(33), '😀']) {
      assert.equal((await create(api, shortcut)).status, 400, shortcut)
    }
  })

  it('quick replies can be changed and deleted, which the audit log records', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const create = async (shortcut: string): Promise<Body> =>
      (await api.post('/v1/quick-replies', { shortcut, text: 'Oi' })).body
    const [hi, bye] = [await create('oi'), await create('tchau')]
    const path = `/v1/quick-replies/${hi.id}`
    kit.clock.jump(1000)
    const changed = await api.patch(path, { text: 'Olá' })
    assert.deepEqual([changed.body.shortcut, changed.body.text], ['oi', 'Olá'])
    assert.ok(changed.body.updatedAt > hi.updatedAt)
    assert.equal((await api.patch(path, { shortcut: 'OI' })).status, 200, 'its own shortcut')
    assert.equal((await api.patch(path, { shortcut: 'tchau' })).status, 409)
    assert.equal((await api.patch(path, {})).status, 400)
    assert.equal((await api.delete(path)).status, 204)
    assert.equal((await api.delete(path)).status, 404)
    assert.equal((await api.patch(path, { text: 'x' })).status, 404)
    const { items } = (await api.get('/v1/quick-replies')).body
    assert.deepEqual(
      items.map(({ id }: Body) => id),
      [bye.id],
    )
    const entries = await audited(project, 'quick_reply')
    assert.deepEqual(
      entries.map(({ action }) => action),
      [
        'quick_reply.delete',
        'quick_reply.update',
        'quick_reply.update',
        'quick_reply.create',
        'quick_reply.create',
      ],
    )
  })

  it('quick replies are at most 500', async () => {
    const api = await kit.key(await kit.project())
    const { body } = await api.post('/v1/quick-replies', { shortcut: 'a0', text: 'Oi' })
    await kit.db.system`
      insert into quick_reply select 'qrp_' || n, project_id, mode, 'a' || n, text, created_at, updated_at
      from quick_reply, generate_series(1, 499) n where id = ${body.id}`
    const refused = await api.post('/v1/quick-replies', { shortcut: 'b', text: 'Oi' })
    assert.deepEqual(
      [refused.status, refused.body.error.message],
      [409, 'limite de 500 respostas rápidas atingido'],
    )
  })
})

describe('the members of a Project', () => {
  it('the members of a Project are listed for its keys, without those who were removed', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const bia = await join(project, 'Atendente')
    const list = async (): Promise<Body[]> => (await api.get('/v1/members')).body.items
    assert.deepEqual(
      (await list()).map(({ email, role }) => [email, role]),
      [
        [project.email, 'Dono'],
        [bia.email, 'Atendente'],
      ],
    )
    const owner = await kit.login(project)
    await owner.delete(`/panel/api/members/${bia.id}`)
    assert.equal((await list()).length, 1)
  })

  it('the members of a Project have the names they choose, wherever their team sees them, until they leave', async () => {
    const { project, api, ana, instance, one, show } = await world()
    const bia = await join(project, 'Atendente')
    const owner = await kit.login(project)
    const panel = await kit.login({ ...project, email: bia.email })
    const choose = (name: string) => panel.put('/panel/api/me/name', { name })
    assert.equal((await panel.get('/panel/api/me')).body.name, null)
    assert.equal((await choose('  Bia\n\u202eSouza ')).status, 204)
    assert.equal((await choose('a'.repeat(81))).status, 400)
    assert.equal((await panel.get('/panel/api/me')).body.name, 'Bia Souza')
    const nameIn = (items: Body[]) => items.find(({ id }) => id === bia.id)?.name
    assert.equal(nameIn((await api.get('/v1/members')).body.items), 'Bia Souza')
    assert.equal(nameIn((await owner.get('/panel/api/members')).body.items), 'Bia Souza')

    assert.equal((await api.patch(one, { assigneeId: bia.id })).body.assignee.name, 'Bia Souza')
    const noted = await panel.post(`/panel/api/test${one}/notes`, { text: 'liga amanhã' })
    assert.deepEqual(noted.body.author, { id: bia.id, name: 'Bia Souza' })
    const sent = await panel.post(`/panel/api/test${instance.base}/messages`, {
      to: ana.phone,
      text: 'bom dia',
    })
    assert.equal(sent.body.sentBy, bia.id)
    const stored = await api.get(`${instance.base}/messages/${sent.body.id}`)
    assert.equal(stored.body.sentBy, bia.id)
    const ours = await api.post(`${instance.base}/messages`, { to: ana.phone, text: 'ok' })
    assert.ok(!('sentBy' in ours.body), 'a key is no member')

    assert.equal((await choose(' ')).status, 204)
    assert.equal((await show()).assignee.name, null)
    await choose('Bia')
    assert.equal((await owner.delete(`/panel/api/members/${bia.id}`)).status, 204)
    const [left] = (await api.get(`${one}/notes`)).body.items
    assert.deepEqual(left.author, { id: bia.id, name: null })
  })

  it('the members of a Project may give their name when they accept an invitation', async () => {
    const project = await kit.project()
    const leo = await join(project, 'Atendente', 'Leo Lima')
    const owner = await kit.login(project)
    const { items } = (await owner.get('/panel/api/members')).body
    assert.equal(items.find(({ id }: Body) => id === leo.id).name, 'Leo Lima')
  })
})
