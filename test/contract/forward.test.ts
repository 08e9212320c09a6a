// Forwarding a message to another chat.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { image, video, voice } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const [ANA, BIA] = ['5511988887777', '5511988886666']
const base64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') })

async function ready() {
  const api = await kit.key(await kit.project())
  const { base, phone } = await kit.pair(api)
  const ana = await kit.phone(api)
  return { api, base, phone, ana }
}

describe('forwarding', () => {
  it('content and file of a message go to another chat, marked as forwarded', async () => {
    const { api, base } = await ready()
    const photo = await image('png', 60, 40)
    const bodies = [
      { text: 'bom dia' },
      { type: 'image', media: base64(photo), caption: 'a loja' },
      { type: 'audio', media: base64(voice()), voice: true },
      { type: 'video', media: base64(video()), gif: true },
      { type: 'location', latitude: -23.5, longitude: -46.6, name: 'Loja' },
      { type: 'contact', contacts: [{ name: 'Rui', phones: [{ phone: '+5511977776666' }] }] },
    ]
    for (const body of bodies) {
      const first = (await api.post(`${base}/messages`, { to: ANA, ...body })).body
      const path = `${base}/messages/${first.id}/forward`
      const { status, body: made } = await api.post(path, { to: BIA, clientReference: 'r1' })
      assert.equal(status, 201)
      const { type, text, location, contacts, gif, forwarded, clientReference } = made
      assert.deepEqual(
        { type, text, location, contacts, gif },
        {
          type: first.type,
          text: first.text,
          location: first.location,
          contacts: first.contacts,
          gif: first.gif,
        },
      )
      assert.deepEqual([forwarded, clientReference, first.forwarded], [true, 'r1', undefined])
      assert.equal(made.chat.id, `${BIA}@s.whatsapp.net`)
      assert.equal(made.media?.sha256, first.media?.sha256)
      assert.equal(made.media?.voice, first.media?.voice)
    }
  })

  it('a received message is forwarded with its file, without the advertisement that it came from', async () => {
    const { api, base, phone, ana } = await ready()
    const bytes = await image('jpeg', 60, 40)
    const media = base64(bytes)
    const draft = { to: phone, type: 'image', media, referral: { sourceType: 'ad', sourceId: '1' } }
    assert.equal((await api.post(`${ana.base}/messages`, draft)).status, 201)
    await kit.settle()
    const [received] = (await api.get(`${base}/messages?direction=inbound`)).body.items
    assert.ok(received.referral)
    const made = await api.post(`${base}/messages/${received.id}/forward`, { to: BIA })
    assert.equal(made.status, 201, made.text)
    assert.equal(made.body.referral, undefined)
    const file = await api.download(`${base}/messages/${made.body.id}/media`)
    const hash = createHash('sha256').update(file.bytes).digest('hex')
    assert.equal(hash, received.media.sha256)
    await kit.settle()
    assert.equal((await api.get(`${base}/messages/${made.body.id}`)).body.status, 'delivered')
  })

  it('forwarding a message that phones cannot forward returns 409, and an unknown one 404', async () => {
    const { api, base } = await ready()
    const once = { to: ANA, type: 'video', media: base64(video()), viewOnce: true }
    const hidden = (await api.post(`${base}/messages`, once)).body
    const said = (await api.post(`${base}/messages`, { to: ANA, text: 'oi' })).body
    const reaction = { type: 'reaction', waMessageId: said.waMessageId, emoji: '👍' }
    const liked = (await api.post(`${base}/messages`, reaction)).body
    await kit.settle()
    for (const { id } of [hidden, liked]) {
      const answer = await api.post(`${base}/messages/${id}/forward`, { to: BIA })
      assert.equal(answer.status, 409, answer.text)
    }
    await api.delete(`${base}/messages/${said.id}`)
    const gone = await api.post(`${base}/messages/${said.id}/forward`, { to: BIA })
    assert.equal(gone.status, 409)
    const none = await api.post(`${base}/messages/msg_x/forward`, { to: BIA })
    assert.equal(none.status, 404)
    for (const bad of [{}, { to: BIA, conversationId: said.conversationId }, { to: 'x' }]) {
      const path = `${base}/messages/${hidden.id}/forward`
      assert.ok([400, 409].includes((await api.post(path, bad)).status))
    }
  })

  it('a forward repeated with the same Idempotency-Key sends one message', async () => {
    const { api, base } = await ready()
    const said = (await api.post(`${base}/messages`, { to: ANA, text: 'oi' })).body
    const forward = () =>
      api.post(
        `${base}/messages/${said.id}/forward`,
        { to: BIA },
        { 'idempotency-key': 'encaminhar-1' },
      )
    const [first, second] = [await forward(), await forward()]
    assert.equal(first.body.id, second.body.id)
    const { items } = (await api.get(`${base}/messages`)).body
    assert.equal(items.length, 2)
  })
})
