// What other people's devices may cause on an account, against the protocol server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'
import { element, seconds } from '../kit/whatsapp-server/stanza.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type

const edit = (jid: string, id: string, text: string) => ({
  protocolMessage: {
    ...{ type: MESSAGE_EDIT, key: { remoteJid: jid, fromMe: true, id } },
    editedMessage: { conversation: text },
  },
})
const revoke = (jid: string, id: string) => ({
  protocolMessage: { type: REVOKE, key: { remoteJid: jid, fromMe: true, id } },
})

async function send({ api, base }: OnWhatsApp, to: string, text = 'original'): Promise<string> {
  const { body } = await api.post(`${base}/messages/text`, { to, text })
  return body.waMessageId
}
const read = async ({ api, base }: OnWhatsApp, id: string) =>
  (await api.get(`${base}/messages/${id}`)).body

/** Resolves once everything that was written before this message has been handled. */
async function handled(one: OnWhatsApp): Promise<void> {
  const id = await kit.server.messages.write(one.ana, one.own, { conversation: 'fim' })
  await kit.until(
    () => kit.told(one, 'message.received').some((told) => told.waMessageId === id),
    'what was written last',
  )
}

describe('a contact on WhatsApp', () => {
  it('edits and revokes nothing that the account sent, nor what others wrote', async () => {
    const one = await kit.connect()
    const { ana, own, base, api } = one
    const bia = kit.server.person('5511977770001', 'Bia')
    const sent = await send(one, ana.phone)
    await kit.message(one, sent, 'delivered')
    const hers = await kit.server.messages.write(bia, own, { conversation: 'original' })
    for (const id of [sent, hers]) {
      await kit.server.messages.write(ana, own, edit(own.jid, id, 'forged'))
      await kit.server.messages.write(ana, own, revoke(own.jid, id))
    }
    await handled(one)
    for (const id of [sent, hers]) {
      const { text, editedAt, deletedAt } = await read(one, id)
      assert.deepEqual([text, editedAt, deletedAt], ['original', null, null])
    }
    assert.equal(kit.told(one, 'message.deleted').length, 0)
    const { body } = await api.get(`${base}/messages?q=forged`)
    assert.deepEqual(body.items, [])
  })

  it('who is a plain member of a group edits and revokes only their own messages; an admin revokes any', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770002', 'Bia')
    const cau = kit.server.person('5511977770003', 'Cau')
    const group = kit.server.groups.create(ana, 'Obras', [own, bia, cau])
    await kit.until(
      async () => (await one.api.get(`${one.base}/groups/${group}`)).status === 200,
      'the group',
    )
    const hers = await kit.server.messages.writeTo(bia, group, { conversation: 'original' })
    await kit.server.messages.writeTo(cau, group, edit(group, hers, 'forged'))
    await kit.server.messages.writeTo(cau, group, revoke(group, hers))
    await handled(one)
    const before = await read(one, hers)
    assert.deepEqual([before.text, before.deletedAt], ['original', null])
    await kit.server.messages.writeTo(bia, group, edit(group, hers, 'correct'))
    await kit.until(async () => (await read(one, hers)).text === 'correct', 'the edit')
    await kit.server.messages.writeTo(ana, group, revoke(group, hers))
    await kit.until(async () => (await read(one, hers)).deletedAt !== null, 'the revocation')
  })

  it('acknowledges nothing of somebody else’s chat, and their own also by LID', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    const bia = kit.server.person('5511977770004', 'Bia')
    const sent = await send(one, ana.phone)
    await kit.message(one, sent, 'delivered')
    kit.server.messages.read(bia, own, [sent])
    await handled(one)
    assert.equal((await read(one, sent)).status, 'delivered')
    for (const device of own.companions.values()) {
      const attrs = { id: sent, from: ana.lidJid, type: 'read', t: seconds() }
      device.push(element('receipt', attrs))
    }
    await kit.message(one, sent, 'read')
  })
})
