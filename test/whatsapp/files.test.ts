// What files look like on the phones of others, on the protocol server.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { image, recordings } from '../kit/files.ts'
import { startWhatsAppApp, type WhatsAppApp } from '../kit/whatsapp-app.ts'

let kit: WhatsAppApp
before(async () => {
  kit = await startWhatsAppApp()
})
after(() => kit.close())

const base64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') })

describe('files on WhatsApp', () => {
  it('a voice note arrives with its codec, its duration and the waveform that phones draw', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    for (const [name, bytes] of recordings()) {
      const body = { to: ana.phone, type: 'audio', voice: true, media: base64(bytes) }
      const sent = await api.post(`${base}/messages`, body)
      await kit.message(one, sent.body.waMessageId, 'delivered')
      const note = ana.inbox.at(-1)?.message.audioMessage
      assert.equal(note?.mimetype, 'audio/ogg; codecs=opus', name)
      assert.equal(note?.ptt, true)
      assert.ok(note?.seconds === 1 || note?.seconds === 2, `${name}: ${note?.seconds}`)
      const bars = [...(note?.waveform ?? [])]
      assert.equal(bars.length, 64)
      assert.equal(Math.max(...bars), 100)
      // The tone is five times louder in the second half.
      const [quiet = 0, loud = 0] = [bars[16], bars[48]]
      assert.ok(loud > 80 && quiet > 5 && quiet < 45, `${name}: ${quiet} then ${loud}`)
    }
  })

  it('a photo arrives with a small JPEG that phones show until they have it', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    for (const format of ['jpeg', 'png', 'webp'] as const) {
      const media = base64(await image(format, 600, 300))
      const sent = await api.post(`${base}/messages`, { to: ana.phone, type: 'image', media })
      await kit.message(one, sent.body.waMessageId, 'delivered')
      const thumbnail = Buffer.from(ana.inbox.at(-1)?.message.imageMessage?.jpegThumbnail ?? '')
      const made = await sharp(thumbnail).metadata()
      assert.deepEqual([made.format, made.width, made.height], ['jpeg', 96, 48])
      assert.ok(thumbnail.length < 4096)
    }
  })

  it('an album begins with how many photos belong to it, and each of them names it', async () => {
    const one = await kit.connect()
    const { api, base, ana } = one
    const items = await Promise.all(
      ['um', 'dois', 'três'].map(async (caption) => {
        return { type: 'image', caption, media: base64(await image('jpeg')) }
      }),
    )
    const { status, body } = await api.post(`${base}/messages/album`, { to: ana.phone, items })
    assert.equal(status, 201)
    for (const { waMessageId } of body.items) await kit.message(one, waMessageId, 'delivered')
    const [{ albumId }] = body.items
    const before = ana.inbox.length - 3
    assert.deepEqual(ana.albums, [{ id: albumId, images: 3, videos: 0, before }])
    const received = ana.inbox.slice(before)
    assert.deepEqual(
      received.map(({ message }) => message.imageMessage?.caption),
      ['um', 'dois', 'três'],
    )
    for (const { message } of received) {
      const { messageAssociation, messageSecret } = message.messageContextInfo ?? {}
      assert.equal(messageAssociation?.parentMessageKey?.id, albumId)
      assert.equal(messageSecret?.length, 32)
    }
  })
})
