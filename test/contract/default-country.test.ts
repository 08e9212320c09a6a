// National numbers are completed with the default country of the Project.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Client } from '../kit/client.ts'
import { startTestApp, type Paired, type Project, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
let project: Project
let api: Client
let instance: Paired
before(async () => {
  kit = await startTestApp()
  project = await kit.project()
  api = await kit.key(project)
  instance = await kit.pair(api)
})
after(() => kit.close())

const country = async (defaultCountry: string | null) => {
  const settings = { defaultCountry }
  await kit.operator.projects.set(kit.db, project.projectId, 'project.default_country', settings)
  // The server picks up changes made by an operator process within five seconds.
  await kit.jump(5000)
}
async function chatOf(to: string): Promise<string> {
  const { status, body } = await api.post(`${instance.base}/messages/text`, { to, text: 'oi' })
  assert.equal(status, 201, JSON.stringify(body))
  return body.chat.id
}

describe('numbers without +', () => {
  it('a number that is valid in Brazil, in any notation, is completed in a new Project', async () => {
    for (const to of ['11 98888-0005', '(11) 98888-0005', '11988880005', '011 98888-0005']) {
      assert.equal(await chatOf(to), '5511988880005@s.whatsapp.net', to)
    }
    assert.equal(await chatOf('(55) 3333-4444'), '555533334444@s.whatsapp.net')
  })

  it('a number with a country code or + or one that is not valid in the country is not completed', async () => {
    for (const [to, phone] of [
      ['5511988880005', '5511988880005'],
      ['14155552671', '14155552671'],
      ['+1 415 555 2671', '14155552671'],
      ['351912345678', '351912345678'],
      ['+11 98888-0005', '11988880005'],
    ] as const) {
      assert.equal(await chatOf(to), `${phone}@s.whatsapp.net`, to)
    }
  })

  it('national numbers are completed in contact cards, of sends, campaigns and virtual phones', async () => {
    const contacts = [{ name: 'Ana', phones: [{ phone: '11 97777-0009' }] }]
    const card = [{ phone: '5511977770009', label: 'CELL' }]
    const body = { to: '5511988880005', type: 'contact', contacts }
    const sent = await api.post(`${instance.base}/messages`, body)
    assert.deepEqual(sent.body.contacts[0].phones, card)
    const campaign = {
      name: 'c',
      instanceIds: [instance.id],
      message: { type: 'contact', contacts },
    }
    const { body: made } = await api.post('/v1/campaigns', campaign)
    assert.equal(made.message.contacts[0].phones[0].phone, '5511977770009')
    const written = await api.post(`${instance.phoneBase}/messages`, {
      ...body,
      to: instance.phone,
    })
    assert.deepEqual(written.body.contacts[0].phones, card)
  })

  it('national numbers are completed in contact checks, mentions and campaign CSV files, too', async () => {
    const looked = await api.post(`${instance.base}/contacts/check`, { phones: ['11 98888-0005'] })
    assert.deepEqual(looked.body.items[0], {
      input: '11 98888-0005',
      exists: true,
      phone: '5511988880005',
      lid: looked.body.items[0].lid,
    })
    const text = { to: '11 98888-0005', text: '@ana', mentions: ['(11) 98888-0006'] }
    const sent = await api.post(`${instance.base}/messages/text`, text)
    assert.deepEqual(sent.body.mentions, ['5511988880006'])
    const message = { type: 'text', text: 'Oi' }
    const campaign = { name: 'c', instanceIds: [instance.id], message }
    const { body: made } = await api.post('/v1/campaigns', campaign)
    const csv = 'to\n11 98888-0005\n+5511988880005\n14155552671\n'
    const path = `/v1/campaigns/${made.id}/recipients`
    const { body: report } = await api.call('POST', path, {
      body: csv,
      headers: { 'content-type': 'text/csv' },
    })
    // The first two lines are the same number.
    assert.deepEqual([report.added, report.duplicates], [2, 1])
  })

  it('national numbers are completed in groups, requests to join them, and calls of virtual phones', async () => {
    const nationalOf = ({ phone }: { phone: string }) => phone.replace(/^55/, '')
    const [ana, rui] = [await kit.phone(api), await kit.phone(api)]
    assert.match(ana.phone, /^55/)
    const participants = [nationalOf(ana)]
    const { body: group } = await api.post(`${instance.base}/groups`, {
      subject: 'x',
      participants,
    })
    assert.ok(group.participants.some(({ phone }: { phone: string }) => phone === ana.phone))
    const path = `${instance.base}/groups/${group.id}`
    await api.patch(path, { settings: { joinApproval: true } })
    const { url } = (await api.get(`${path}/invite`)).body
    await api.post(`${rui.base}/groups/join`, { invite: url })
    const answer = { action: 'approve', participants: [nationalOf(rui)] }
    const approved = await api.post(`${path}/join-requests`, answer)
    assert.equal(approved.body.participants?.[0]?.phone, rui.phone)
    const called = await api.post(`${ana.base}/calls`, { to: nationalOf(instance) })
    assert.equal(called.status, 201, called.text)
    const own = await api.post(`${ana.base}/groups`, {
      subject: 'y',
      participants: [nationalOf(rui)],
    })
    assert.equal(own.status, 201, own.text)
    assert.ok(own.body.participants.some(({ phone }: { phone: string }) => phone === rui.phone))
  })

  it('numbers are not completed without a default country and follow the one that is set', async () => {
    await country(null)
    assert.equal(await chatOf('11988880005'), '11988880005@s.whatsapp.net')
    await country('PT')
    assert.equal(await chatOf('912 345 678'), '351912345678@s.whatsapp.net')
    await country('BR')
  })
})

describe('default country setting', () => {
  it('the owner can set the default country in the panel to a valid country or null', async () => {
    const owner = await kit.login(project)
    assert.equal((await owner.get('/panel/api/me')).body.defaultCountry, 'BR')
    assert.equal((await owner.put('/panel/api/project', { defaultCountry: 'AR' })).status, 204)
    assert.equal((await owner.get('/panel/api/me')).body.defaultCountry, 'AR')
    assert.equal((await owner.put('/panel/api/project', { defaultCountry: 'XX' })).status, 400)
    assert.equal((await owner.put('/panel/api/project', { defaultCountry: null })).status, 204)
    assert.equal((await owner.get('/panel/api/me')).body.defaultCountry, null)
    const { id } = await kit.operator.accounts.getByEmail(kit.db, project.email)
    const entries = await kit.operator.audit.list(kit.db, project.projectId, 10)
    assert.ok(entries.some(({ actor, action }) => actor === id && action.endsWith('country')))
  })
})
