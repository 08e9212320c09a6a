// Stars on WhatsApp: how the devices of an account name the message that they mean.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWhatsAppApp, type OnWhatsApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

/** What the account's devices were told about stars, in order. */
const starsOf = ({ own }: OnWhatsApp) =>
  kit.server.appState.changes
    .filter(({ person, index }) => person === own && index[0] === 'star')
    .map(({ index, action }) => [...index.slice(1), action.starAction?.starred])

const received = ({ api, base }: OnWhatsApp, waMessageId: string) =>
  kit.until(async () => {
    const { status, body } = await api.get(`${base}/messages/${waMessageId}`)
    return status === 200 && body
  }, waMessageId)

describe('stars on WhatsApp', () => {
  it('stars on WhatsApp name a direct chat by number and by LID, since phones know it by either', async () => {
    const one = await kit.connect()
    const { api, base, own, ana } = one
    const theirs = await kit.server.messages.write(ana, own, { conversation: 'oi' })
    await received(one, theirs)
    const { body: ours } = await api.post(`${base}/messages`, { to: ana.phone, text: 'olá' })
    await kit.message(one, ours.waMessageId, 'delivered')
    assert.equal((await api.put(`${base}/messages/${theirs}/star`)).body.starred, true)
    assert.equal((await api.put(`${base}/messages/${ours.waMessageId}/star`)).status, 200)
    assert.equal((await api.delete(`${base}/messages/${theirs}/star`)).status, 200)
    assert.deepEqual(starsOf(one), [
      [ana.jid, theirs, '0', '0', true],
      [ana.lidJid, theirs, '0', '0', true],
      [ana.jid, ours.waMessageId, '1', '0', true],
      [ana.lidJid, ours.waMessageId, '1', '0', true],
      [ana.jid, theirs, '0', '0', false],
      [ana.lidJid, theirs, '0', '0', false],
    ])
    // A phone that has migrated to LIDs.
    for (const starred of [true, false]) {
      await kit.server.appState.change(own, {
        collection: 'regular_high',
        version: 2,
        index: ['star', ana.lidJid, theirs, '0', '0'],
        action: { starAction: { starred } },
      })
      await kit.until(async () => {
        const { body } = await api.get(`${base}/messages/${theirs}`)
        return (body.starred ?? false) === starred
      }, `starred: ${starred}`)
    }
  })

  it('stars on WhatsApp name the author of a group’s message, also after the account has left the group', async () => {
    const one = await kit.connect()
    const { api, base, own, ana } = one
    const bia = kit.server.person('5511966660077', 'Bia')
    const group = kit.server.groups.create(ana, 'Obras', [own, bia], 'lid')
    await kit.until(async () => (await api.get(`${base}/groups/${group}`)).status === 200, 'group')
    const said = await kit.server.messages.writeTo(bia, group, { conversation: 'oi' })
    await received(one, said)
    assert.equal((await api.put(`${base}/messages/${said}/star`)).status, 200)
    assert.equal((await api.post(`${base}/groups/${group}/leave`)).status, 200)
    assert.equal((await api.delete(`${base}/messages/${said}/star`)).status, 200)
    assert.deepEqual(starsOf(one), [
      [group, said, '0', bia.lidJid, true],
      [group, said, '0', bia.lidJid, false],
    ])
  })
})
