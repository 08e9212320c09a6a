// Recipients from the contacts of an instance and from its labels.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

/** An instance on a business account with three contacts, of whom two have a label, and one has no name. */
async function world() {
  const project = await kit.project()
  const api = await kit.key(project)
  const { id, base } = await kit.pair(api, 'Loja', { business: true })
  const imported = await api.post(`${base}/contacts/import`, {
    contacts: [
      { phone: '+55 11 97777-0001', name: 'Ana', fields: { plano: 'anual' } },
      { phone: '+55 11 97777-0002', name: 'Bia' },
      { phone: '+1 415 555 0123' },
    ],
  })
  assert.equal(imported.status, 200, JSON.stringify(imported.body))
  const { body: label } = await api.post(`${base}/labels`, { name: 'Cliente' })
  const labelled = [] as string[]
  for (const to of ['5511977770001', '5511966660009']) {
    await api.post(`${base}/messages`, { to, text: 'oi' })
    await kit.settle()
    const { body } = await api.get(`${base}/conversations?q=${to}`)
    labelled.push(body.items[0].id)
  }
  for (const conversation of labelled)
    await api.put(`${base}/labels/${label.id}/conversations/${conversation}`)
  await kit.settle()
  const draft = async (text: string) => {
    const message = { type: 'text', text }
    const { body } = await api.post('/v1/campaigns', { name: 'N', instanceIds: [id], message })
    return `/v1/campaigns/${body.id}`
  }
  return { project, api, id, base, label, draft }
}

describe('audiences', () => {
  it('an audience shows how many people it has, the variables of a message, and the first people', async () => {
    const { api, base, label } = await world()
    const all = await api.get(`${base}/audience`)
    assert.equal(all.status, 200)
    assert.deepEqual([all.body.total, all.body.variables], [3, ['nome', 'telefone', 'plano']])
    assert.deepEqual(all.body.first, [
      {
        to: '+5511977770001',
        variables: { nome: 'Ana', telefone: '5511977770001', plano: 'anual' },
      },
      { to: '+5511977770002', variables: { nome: 'Bia', telefone: '5511977770002' } },
      { to: '+14155550123', variables: { telefone: '14155550123' } },
    ])
    // A field that no placeholder can name is not offered as a variable.
    await api.post(`${base}/contacts/import`, {
      contacts: [
        { phone: '+55 11 97777-0002', fields: { 'nome da empresa': 'Sol', cidade: 'BH' } },
      ],
    })
    const { body: more } = await api.get(`${base}/audience`)
    assert.deepEqual(more.variables, ['nome', 'telefone', 'cidade', 'plano'])
    const some = await api.get(`${base}/audience?labelId=${label.id}`)
    assert.equal(some.body.total, 2)
    assert.deepEqual(
      some.body.first.map(({ to }: { to: string }) => to),
      ['+5511977770001', '+5511966660009'],
    )
  })

  it('a campaign sends to the contacts of an instance, and reports those whose variables are missing', async () => {
    const { api, id, draft } = await world()
    const path = await draft('Oi {{nome}}, plano {{plano}}')
    const { status, body } = await api.post(`${path}/recipients`, { audience: { instanceId: id } })
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual([body.lines, body.added, body.invalid], [3, 1, 2])
    assert.deepEqual(
      body.problems.map(({ to, reason }: { to: string; reason: string }) => [to, reason]),
      [
        ['+5511977770002', 'missing_variable'],
        ['+14155550123', 'missing_variable'],
      ],
    )
    await api.post(`${path}/start`)
    await kit.settle()
    const { body: recipients } = await api.get(`${path}/recipients`)
    assert.deepEqual(
      recipients.items.map(({ message }: { message: { text: string } }) => message.text),
      ['Oi Ana, plano anual'],
    )
  })

  it('a campaign sends to the people of a label, contacts or not, and to each of them once', async () => {
    const { api, id, label, draft } = await world()
    const path = await draft('Oi')
    const audience = { instanceId: id, labelId: label.id }
    const once = await api.post(`${path}/recipients`, { audience })
    assert.deepEqual([once.body.added, once.body.duplicates], [2, 0])
    const twice = await api.post(`${path}/recipients`, { audience: { instanceId: id } })
    assert.deepEqual([twice.body.added, twice.body.duplicates], [2, 1])
  })

  it('an audience of several pages becomes as many recipients', async () => {
    const { api, id, base, draft } = await world()
    const contacts = Array.from({ length: 1203 }, (_, n) => ({
      phone: `+55119${String(40_000_000 + n)}`,
      name: `Contato ${n}`,
    }))
    for (const part of [contacts.slice(0, 700), contacts.slice(700)])
      assert.equal((await api.post(`${base}/contacts/import`, { contacts: part })).status, 200)
    assert.equal((await api.get(`${base}/audience`)).body.total, 1206)
    const path = await draft('Oi')
    const { body } = await api.post(`${path}/recipients`, { audience: { instanceId: id } })
    assert.deepEqual([body.lines, body.added, body.duplicates], [1206, 1206, 0])
  })

  it('an audience belongs to its Project and mode, and to the instance of its label', async () => {
    const { project, api, id, base, label, draft } = await world()
    const other = await world()
    const path = await draft('Oi')
    const production = await kit.key(project, 'production')
    for (const [caller, audience] of [
      [api, { instanceId: other.id }],
      [api, { instanceId: id, labelId: other.label.id }],
      [api, { instanceId: id, labelId: 'lab_x' }],
      [api, { instanceId: 'ins_x' }],
    ] as const) {
      assert.equal((await caller.post(`${path}/recipients`, { audience })).status, 404)
    }
    assert.equal((await other.api.get(`${base}/audience`)).status, 404)
    assert.equal((await production.get(`${base}/audience`)).status, 404)
    assert.equal((await other.api.get(`${other.base}/audience?labelId=${label.id}`)).status, 404)
  })

  it('recipients are a list or an audience: both, or neither, are refused', async () => {
    const { api, id, draft } = await world()
    const path = await draft('Oi')
    for (const body of [
      {},
      { recipients: [{ to: '5511977770001' }], audience: { instanceId: id } },
    ]) {
      const refused = await api.post(`${path}/recipients`, body)
      assert.equal(refused.status, 400, JSON.stringify(refused.body))
      assert.match(refused.body.error.message, /audience/)
    }
  })

  it('people who have asked for no campaigns are skipped, and get no message', async () => {
    const { api, draft, id } = await world()
    await api.post('/v1/opt-outs', { phones: ['+55 11 97777-0001'] })
    const path = await draft('Oi {{nome}}')
    await api.post(`${path}/recipients`, { audience: { instanceId: id } })
    await api.post(`${path}/start`)
    await kit.settle()
    const { body } = await api.get(`${path}/recipients?status=skipped`)
    assert.deepEqual(
      body.items.map(({ to, reason }: { to: string; reason: string }) => [to, reason]),
      [['+5511977770001', 'OPTED_OUT']],
    )
  })
})
