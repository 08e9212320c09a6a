// Chats whose messages disappear, on the protocol server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { proto } from 'baileys'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const DAY = 86_400
const { EPHEMERAL_SETTING } = proto.Message.ProtocolMessage.Type

/** Sends a text and returns after how many seconds it disappears on the contact's phone. */
async function timerOfNext(one: OnWhatsApp, to: string): Promise<number> {
  const { body } = await one.api.post(`${one.base}/messages`, { to, text: 'oi' })
  const { id, waMessageId } = body
  await kit.message(one, id, 'delivered')
  const shown = one.ana.inbox.find((message) => message.waMessageId === waMessageId)
  return shown?.message.extendedTextMessage?.contextInfo?.expiration ?? 0
}

describe('disappearing messages', () => {
  it('a message disappears when the others of its chat do, also after a reconnection, until the contact turns it off', async () => {
    const one = await kit.connect()
    const { ana, own } = one
    assert.equal(await timerOfNext(one, ana.phone), 0)
    await kit.server.messages.write(ana, own, {
      extendedTextMessage: { text: 'some em um dia', contextInfo: { expiration: DAY } },
    })
    await kit.until(() => kit.told(one, 'message.received').length === 1, 'the message')
    assert.equal(await timerOfNext(one, ana.phone), DAY)
    kit.server.endStream(own, '503')
    await kit.reach(one, 'DISCONNECTED')
    await kit.app.jump(1000)
    await kit.reach(one, 'CONNECTED')
    assert.equal(await timerOfNext(one, ana.phone), DAY)
    const protocolMessage = { type: EPHEMERAL_SETTING, ephemeralExpiration: 0 }
    await kit.server.messages.write(ana, own, { protocolMessage })
    await kit.server.messages.write(ana, own, { conversation: 'pronto' })
    await kit.until(() => kit.told(one, 'message.received').length === 2, 'the next message')
    assert.equal(await timerOfNext(one, ana.phone), 0)
  })

  it('a contact cannot choose a time that phones do not offer, and no member of a group can', async () => {
    const one = await kit.connect()
    const { api, base, ana, own } = one
    const claim = (expiration: number) => ({
      extendedTextMessage: { text: 'some logo', contextInfo: { expiration } },
    })
    const received = (count: number) =>
      kit.until(() => kit.told(one, 'message.received').length === count, 'the message')
    await kit.server.messages.write(ana, own, claim(1))
    await received(1)
    assert.equal(await timerOfNext(one, ana.phone), 0)
    const group = { subject: 'Obras', participants: [ana.phone] }
    const { id } = (await api.post(`${base}/groups`, group)).body
    await kit.server.messages.writeTo(ana, id, claim(DAY))
    await received(2)
    assert.equal(await timerOfNext(one, id), 0)
  })

  it('a message to a group follows the setting of the group, whichever side changed it', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    const body = { subject: 'Obras', participants: [ana.phone] }
    const { id } = (await api.post(`${base}/groups`, body)).body
    assert.equal(await timerOfNext(one, id), 0)
    await api.patch(`${base}/groups/${id}`, { settings: { disappearingSeconds: 7 * DAY } })
    assert.equal(await timerOfNext(one, id), 7 * DAY)
    kit.server.groups.change(id, ana, { tag: 'not_ephemeral', attrs: {} })
    await kit.until(async () => {
      const { settings } = (await api.get(`${base}/groups/${id}`)).body
      return settings.disappearingSeconds === 0
    }, 'the change')
    assert.equal(await timerOfNext(one, id), 0)
  })
})
