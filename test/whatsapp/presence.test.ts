// What the account shows in chats, on the protocol server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startWhatsAppApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

describe('presence on WhatsApp', () => {
  it('a chat shows that the account is typing or recording, and no longer', async () => {
    const { api, base, ana } = await kit.connect()
    const { conversationId } = (await api.post(`${base}/messages`, { to: ana.phone, text: 'oi' }))
      .body
    const path = `${base}/conversations/${conversationId}/presence`
    for (const state of ['typing', 'recording', 'paused'])
      assert.equal((await api.post(path, { state })).status, 204)
    await kit.until(() => kit.server.chatStates.length === 3, 'all states')
    const shown = kit.server.chatStates.map(({ attrs, content }) => {
      const [child] = Array.isArray(content) ? content : []
      return [attrs['to'], child?.tag, child?.attrs['media']]
    })
    assert.deepEqual(shown, [
      [ana.jid, 'composing', undefined],
      [ana.jid, 'composing', 'audio'],
      [ana.jid, 'paused', undefined],
    ])
  })
})
