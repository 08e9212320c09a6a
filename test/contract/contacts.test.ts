// What a team keeps about its contacts: names, fields, imported lists, and who wants no campaigns (G42, G81).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../kit/client.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const LID = '123456789012345@lid'

/** A paired instance that Ana has written to. */
async function world() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const says = async (text: string) => {
    const sent = await api.post(`${ana.base}/messages`, { to: instance.phone, text })
    assert.equal(sent.status, 201)
    await kit.settle()
  }
  await says('oi')
  const path = `${instance.base}/contacts`
  const one = `${path}/${ana.phone}`
  const list = async (query = ''): Promise<Body[]> => (await api.get(`${path}${query}`)).body.items
  const conversations = async (query = ''): Promise<Body[]> =>
    (await api.get(`${instance.base}/conversations${query}`)).body.items
  return { project, api, instance, ana, says, path, one, list, conversations }
}

describe('a contact', () => {
  it('a contact has the name that the team gave it, whatever its profile says, until that is removed', async () => {
    const { api, ana, says, one, list, conversations } = await world()
    const named = await api.patch(one, { name: ' Ana da Padaria ' })
    assert.deepEqual(
      [named.status, named.body.name, named.body.profileName],
      [200, 'Ana da Padaria', 'Ana'],
    )
    assert.equal((await conversations('?q=padaria'))[0]?.contact.name, 'Ana da Padaria')
    assert.equal((await list('?q=PADARÍA')).length, 1)
    await api.patch(ana.base, { name: 'Aninha' })
    await says('mudei de nome')
    const after = (await api.get(one)).body
    assert.deepEqual([after.name, after.profileName], ['Ana da Padaria', 'Aninha'])
    assert.equal((await conversations())[0]?.chat.name, 'Ana da Padaria')
    const back = await api.patch(one, { name: '' })
    assert.equal(back.body.name, 'Aninha')
    assert.equal((await conversations())[0]?.contact.name, 'Aninha')
  })

  it('a contact without a profile name has no name once the team removes its name, in its conversation too', async () => {
    const { api, instance, path, conversations } = await world()
    const phone = '5511977776666'
    await api.post(path + '/import', { contacts: [{ phone, name: 'Rui' }] })
    await api.post(`${instance.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    assert.equal((await conversations('?q=rui')).length, 1)
    assert.equal((await api.patch(`${path}/${phone}`, { name: '' })).body.name, null)
    assert.deepEqual(await conversations('?q=rui'), [])
  })

  it('a contact keeps fields one by one, and an empty text removes one', async () => {
    const { api, one, says, list } = await world()
    // Written out, so that no random number contains it.
    const cpf = '529.982.247-25'
    const found = async (q: string) => (await list(`?q=${q}`)).length
    await api.patch(one, { fields: { cpf, bairro: 'Centro' } })
    assert.equal(await found(cpf), 1)
    const { body } = await api.patch(one, { fields: { cpf: '', cor: ' azul ' } })
    assert.deepEqual(body.fields, { bairro: 'Centro', cor: 'azul' })
    assert.deepEqual([await found('CENTR'), await found('bairro'), await found(cpf)], [1, 0, 0])
    await says('de novo')
    assert.deepEqual((await api.get(one)).body.fields, { bairro: 'Centro', cor: 'azul' })
    const many = Object.fromEntries(Array.from({ length: 49 }, (_, n) => [`f${n}`, 'x']))
    const refused = await api.patch(one, { fields: many })
    assert.deepEqual([refused.status, refused.body.error.field], [400, 'fields'])
    assert.equal((await api.patch(one, {})).status, 400)
    // In an import, the contact with too many is named, and the others are stored.
    const phone = one.split('/').at(-1) ?? ''
    const { body: imported } = await api.post(`${one.slice(0, one.lastIndexOf('/'))}/import`, {
      contacts: [
        { phone, fields: many },
        { phone: '5511900001111', name: 'Zé' },
      ],
    })
    assert.deepEqual(
      [imported.imported, imported.problems.length, imported.problems[0]?.index],
      [1, 1, 0],
    )
    assert.equal(imported.problems[0].reason, 'too_many_fields')
    for (const name of ['', ' ', ' x', 'x'.repeat(41)])
      assert.equal((await api.patch(one, { fields: { [name]: 'x' } })).status, 400)
    assert.deepEqual((await api.get(one)).body.fields, { bairro: 'Centro', cor: 'azul' })
  })

  it('a contact has the time of its last security code change, or none before the first change', async () => {
    const { api, ana, one, says, list } = await world()
    const other = await kit.phone(api, { name: 'Bia' })
    await api.post(`${other.base}/messages`, {
      to: (await api.get('/v1/instances')).body.items[0].phone,
      text: 'oi',
    })
    await kit.settle()
    assert.ok(!('identityChangedAt' in (await api.get(one)).body))
    for (let change = 0; change < 2; change++) {
      await kit.jump(1000)
      assert.equal((await api.post(`${ana.base}/new-device`)).status, 200)
      await kit.settle()
      const at = new Date(kit.clock.now()).toISOString()
      assert.equal((await api.get(one)).body.identityChangedAt, at)
    }
    // It stays when the contact writes, and concerns no other contact.
    await says('troquei de celular')
    const marked = (await list()).filter((contact) => 'identityChangedAt' in contact)
    assert.deepEqual(
      marked.map(({ phone }) => phone),
      [ana.phone],
    )
  })

  it('a contact is found by its number in any notation, with or without the ninth digit, and by no other', async () => {
    const { api, path } = await world()
    await api.post(path + '/import', { contacts: [{ phone: '+55 (11) 97777-6666', name: 'Rui' }] })
    for (const written of ['5511977776666', '+55 11 97777 6666', '551177776666', '11 97777-6666'])
      assert.equal((await api.get(`${path}/${encodeURIComponent(written)}`)).body.name, 'Rui')
    for (const other of ['5511900000000', 'rui', LID]) {
      const { status, body } = await api.get(`${path}/${other}`)
      assert.deepEqual([status, body.error.message], [404, 'contato não encontrado'])
    }
  })

  it('a contact that was imported is the person who writes, however the network spells the number', async () => {
    const { api, instance, path, list } = await world()
    const rui = await kit.phone(api, { name: 'Rui' })
    const written = `${rui.phone.slice(0, 4)}${rui.phone.slice(5)}`
    assert.match(rui.phone, /^55\d{2}9\d{8}$/, 'a mobile number with its ninth digit')
    await api.post(path + '/import', {
      contacts: [{ phone: written, name: 'Seu Rui', fields: { bairro: 'Mooca' } }],
    })
    await api.post(`${rui.base}/messages`, { to: instance.phone, text: 'oi' })
    await kit.settle()
    const found = await list('?q=rui')
    assert.deepEqual(
      found.map(({ phone, name, profileName, fields }) => [phone, name, profileName, fields]),
      [[rui.phone, 'Seu Rui', 'Rui', { bairro: 'Mooca' }]],
    )
  })
})

describe('someone to whom the team has only written', () => {
  it('naming a person to whom the team has only written creates a contact', async () => {
    const { api, instance, path, conversations } = await world()
    const phone = '5511977776666'
    assert.equal((await api.patch(`${path}/${phone}`, { name: 'Rui' })).status, 404)
    await api.post(`${instance.base}/messages`, { to: phone, text: 'oi' })
    await kit.settle()
    const { status, body } = await api.patch(`${path}/${phone}`, { name: 'Rui' })
    assert.deepEqual([status, body.name], [200, 'Rui'])
    assert.equal((await conversations('?q=rui')).length, 1)
  })
})

describe('the contacts of another Project', () => {
  it('the contacts of another Project cannot be named or merged, even those to whom it has only written', async () => {
    const { api, instance, ana, path, conversations } = await world()
    const stranger = await kit.key(await kit.project())
    const phone = '5511977776666'
    for (const to of [phone, LID]) await api.post(`${instance.base}/messages`, { to, text: 'oi' })
    await kit.settle()
    const before = await conversations()
    for (const address of [phone, LID, ana.phone]) {
      const one = `${path}/${encodeURIComponent(address)}`
      const attempts = [
        await stranger.patch(one, { name: 'Invasora' }),
        await stranger.post(`${one}/merge`, { with: address === LID ? phone : LID }),
      ]
      for (const { status, body } of attempts)
        assert.deepEqual([status, body.error.message], [404, 'instância não encontrada'], address)
    }
    assert.deepEqual(await conversations(), before)
    const rows = await kit.db.system`
      select 1 from contact c join instance i on i.id = c.instance_id
      where c.project_id <> i.project_id`
    assert.equal(rows.length, 0)
  })
})

describe('an imported list', () => {
  it('an imported list changes the contact whom the network spells differently, and keeps its spelling', async () => {
    const { api, ana, path, list, conversations } = await world()
    const short = `${ana.phone.slice(0, 4)}${ana.phone.slice(5)}`
    await api.post(`${path}/import`, {
      contacts: [
        { phone: short, name: 'Dona Ana' },
        { phone: ana.phone, name: 'Dona Ana Souza' },
      ],
    })
    assert.deepEqual(
      (await list()).map(({ phone, name }) => [phone, name]),
      [[ana.phone, 'Dona Ana Souza']],
    )
    assert.equal((await conversations())[0]?.contact.name, 'Dona Ana Souza')
  })

  it('an imported list creates and changes contacts, reports invalid numbers, and keeps names it does not know', async () => {
    const { api, ana, path, list } = await world()
    const { status, body } = await api.post(`${path}/import`, {
      contacts: [
        { phone: ana.phone, fields: { bairro: 'Centro' } },
        { phone: '123', name: 'Ninguém' },
        { phone: '11 97777-6666', name: 'Rui' },
        { phone: ana.phone, name: '' },
      ],
    })
    assert.equal(status, 200)
    assert.deepEqual(body, {
      imported: 3,
      problems: [
        { index: 1, phone: '123', reason: 'invalid_number', message: 'telefone inválido: 123' },
      ],
    })
    assert.deepEqual(
      (await list()).map(({ phone, name, fields }) => [phone, name, fields]),
      [
        ['5511977776666', 'Rui', {}],
        [ana.phone, 'Ana', { bairro: 'Centro' }],
      ],
    )
  })

  it('an imported list is imported once for one Idempotency-Key', async () => {
    const { api, project, path } = await world()
    const body = { contacts: [{ phone: '5511977776666', name: 'Rui' }] }
    const options = { 'idempotency-key': 'lista-1' }
    const first = await api.post(`${path}/import`, body, options)
    const second = await api.post(`${path}/import`, body, options)
    assert.deepEqual(second.body, first.body)
    const owner = await kit.login(project)
    const { items } = (await owner.get('/panel/api/audit?q=contact.import')).body
    assert.equal(items.length, 1)
  })
})

describe('two contacts of one person', () => {
  it('two contacts of one person are merged into one, with one conversation and the details of both', async () => {
    const { api, instance, ana, path, list, conversations } = await world()
    await api.patch(`${path}/${ana.phone}`, { fields: { bairro: 'Centro' } })
    // The network may know a person by both without ever saying so.
    await kit.db.system`update contact set lid = null where instance_id = ${instance.id}`
    await kit.db.system`update conversation set lid = null where instance_id = ${instance.id}`
    await kit.db.system`
      insert into contact (project_id, mode, instance_id, lid, name, fields, created_at, updated_at)
      select project_id, mode, id, ${LID}, 'Ana R.', '{"cpf": "1"}', now(), now()
      from instance where id = ${instance.id}`
    const warned = new Date(kit.clock.now() - 1000)
    await kit.db.system`update contact set identity_changed_at = ${warned} where lid = ${LID}`
    const early = (await api.post(`${instance.base}/messages`, { to: LID, text: 'antes' })).body
    await kit.settle()
    assert.equal((await conversations()).length, 2)
    const { status, body } = await api.post(`${path}/${encodeURIComponent(LID)}/merge`, {
      with: ana.phone,
    })
    assert.equal(status, 200)
    assert.deepEqual(
      [body.phone, body.lid, body.name, body.fields],
      [ana.phone, LID, 'Ana', { bairro: 'Centro', cpf: '1' }],
    )
    assert.equal(body.identityChangedAt, warned.toISOString())
    assert.equal((await list()).length, 1)
    const [conversation, ...others] = await conversations()
    assert.deepEqual([others, conversation?.contact.lid], [[], LID])
    const message = (await api.get(`${instance.base}/messages/${early.id}`)).body
    assert.equal(message.conversationId, conversation?.id)
  })

  it('two contacts of one person are merged if one is known only by a conversation under its LID', async () => {
    const { api, instance, ana, path, conversations } = await world()
    await kit.db.system`update contact set lid = null where instance_id = ${instance.id}`
    await kit.db.system`update conversation set lid = null where instance_id = ${instance.id}`
    const merge = () => api.post(`${path}/${ana.phone}/merge`, { with: LID })
    assert.equal((await merge()).status, 404)
    await api.post(`${instance.base}/messages`, { to: LID, text: 'quem é?' })
    await kit.settle()
    assert.equal((await merge()).body.lid, LID)
    assert.equal((await conversations()).length, 1)
  })

  it('two contacts of one person are merged in steps if their chat is long, also after an interruption', async () => {
    const { api, instance, ana, path, conversations } = await world()
    await kit.db.system`update contact set lid = null where instance_id = ${instance.id}`
    await kit.db.system`update conversation set lid = null where instance_id = ${instance.id}`
    const { id } = (await api.post(`${instance.base}/messages`, { to: LID, text: 'oi' })).body
    await kit.settle()
    await kit.db.patient.system`
      insert into message overriding user value
      select (jsonb_populate_record(m, jsonb_build_object('id', m.id || n, 'wa_message_id', m.wa_message_id || n))).*
      from message m, generate_series(1, 12000) n where m.id = ${id}`
    const left = async () => {
      const [row] = await kit.db.system<{ count: number }[]>`
        select count(*)::int as count from message where instance_id = ${instance.id} and chat_id = ${LID}`
      return row?.count
    }
    assert.equal(await left(), 12_001)
    assert.equal((await api.post(`${path}/${ana.phone}/merge`, { with: LID })).status, 200)
    await kit.settle()
    assert.equal(await left(), 0)
    const [conversation, ...others] = await conversations()
    assert.equal(others.length, 0)
    // As a crash between two steps leaves it.
    await kit.db.patient.system`
      update message set conversation_id = (
        select id from conversation where merged_into = ${conversation?.id}), chat_id = ${LID}
      where conversation_id = ${conversation?.id} and id <> ${id}`
    assert.notEqual(await left(), 0)
    for (let turn = 0; turn < 4; turn++) await kit.jump(3600_000)
    assert.equal(await left(), 0)
  })

  it('two contacts of one person are not merged if both have a number, or are the same', async () => {
    const { api, ana, path } = await world()
    await api.post(`${path}/import`, { contacts: [{ phone: '5511977776666', name: 'Rui' }] })
    for (const other of ['5511977776666', ana.phone]) {
      const { status, body } = await api.post(`${path}/${ana.phone}/merge`, { with: other })
      assert.deepEqual([status, body.error.field], [400, 'with'])
    }
  })
})

describe('the list of people who want no campaigns', () => {
  it('campaigns skip a person on the opt-out list, under every spelling of the number, until they are removed from it', async () => {
    const { api, instance, ana } = await world()
    const written = `${ana.phone.slice(0, 4)}${ana.phone.slice(5)}`
    const added = await api.post('/v1/opt-outs', { phones: [written, ana.phone] })
    assert.deepEqual([added.status, added.body], [200, { added: 1, known: 0 }])
    const again = await api.post('/v1/opt-outs', { phones: [ana.phone] })
    assert.deepEqual(again.body, { added: 0, known: 1 })
    const { items } = (await api.get('/v1/opt-outs')).body
    assert.deepEqual(
      items.map(({ phone, lid, source }: Body) => [phone, lid, source]),
      [[ana.phone, null, 'team']],
    )
    const send = async () => {
      const campaign = await api.post('/v1/campaigns', {
        name: 'x',
        instanceIds: [instance.id],
        message: { type: 'text', text: 'Promoção' },
        recipients: [{ to: ana.phone }],
      })
      await api.post(`/v1/campaigns/${campaign.body.id}/start`)
      await kit.settle()
      const { body } = await api.get(`/v1/campaigns/${campaign.body.id}/recipients`)
      return body.items[0]
    }
    assert.deepEqual([(await send()).status, (await send()).reason], ['skipped', 'OPTED_OUT'])
    assert.equal((await api.delete(`/v1/opt-outs/${ana.phone}`)).status, 204)
    assert.equal((await api.delete(`/v1/opt-outs/${ana.phone}`)).status, 404)
    assert.notEqual((await send()).status, 'skipped')
  })

  it('the opt-out list applies to the number of an opted-out LID, and to the LID of an opted-out number', async () => {
    const { api, instance, ana } = await world()
    const [row] = await kit.db.system`select lid from contact where instance_id = ${instance.id}`
    const lid = String(row?.['lid'])
    const skipped = async (to: string) => {
      const { body } = await api.post('/v1/campaigns', {
        name: 'x',
        instanceIds: [instance.id],
        message: { type: 'text', text: 'Promoção' },
        recipients: [{ to }],
      })
      await api.post(`/v1/campaigns/${body.id}/start`)
      await kit.settle()
      const { items } = (await api.get(`/v1/campaigns/${body.id}/recipients`)).body
      return items[0].status === 'skipped'
    }
    await api.post('/v1/opt-outs', { phones: [lid] })
    assert.equal(await skipped(ana.phone), true)
    assert.equal((await api.get(`/v1/opt-outs?phone=${ana.phone}`)).body.items.length, 1)
    assert.equal((await api.delete(`/v1/opt-outs/${ana.phone}`)).status, 204)
    await api.post('/v1/opt-outs', { phones: [ana.phone] })
    assert.equal(await skipped(lid), true)
    assert.equal((await api.delete(`/v1/opt-outs/${encodeURIComponent(lid)}`)).status, 204)
    assert.equal(await skipped(lid), false)
  })

  it('the opt-out list can be filtered by person, is separate per mode, and rejects an invalid number by field', async () => {
    const { project, api, ana } = await world()
    await api.post('/v1/opt-outs', { phones: [ana.phone, LID] })
    const read = async (phone: string) =>
      (await api.get(`/v1/opt-outs?phone=${encodeURIComponent(phone)}`)).body.items
    assert.equal((await read(`+${ana.phone}`)).length, 1)
    assert.equal((await read(LID))[0].lid, LID)
    assert.deepEqual(await read('5511900000000'), [])
    assert.equal((await api.get('/v1/opt-outs?phone=x')).status, 400)
    const bad = await api.post('/v1/opt-outs', { phones: [ana.phone, 'x'] })
    assert.deepEqual([bad.status, bad.body.error.field], [400, 'phones[1]'])
    const live = await kit.key(project, 'production')
    assert.notDeepEqual((await live.get('/v1/opt-outs')).body.items?.length, 2)
    const owner = await kit.login(project)
    const { items } = (await owner.get('/panel/api/audit?q=opt_out.create')).body
    assert.equal(items.length, 1)
  })
})
