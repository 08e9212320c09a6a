// Files of outgoing and incoming messages, uploads and downloads.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parseBuffer } from 'music-metadata'
import sharp from 'sharp'
import type { Body, Client } from '../kit/client.ts'
import {
  html,
  image,
  longVoice,
  multipart,
  pdf,
  pixelBomb,
  recordings,
  svg,
  video,
  voice,
} from '../kit/files.ts'
import { HOSTS, startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const TO = '5511988887777'
const DAY = 24 * 3600_000
const sha = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const ready = async (mode: 'test' | 'production' = 'test') => {
  const project = await kit.project()
  const api = await kit.key(project, mode)
  return { project, api, ...(await kit.pair(api)) }
}
const base64 = (bytes: Buffer) => ({ base64: bytes.toString('base64') })
/** The time that one upload takes of the pace of a Project, which allows twenty a second. */
const UPLOAD_PACE_MS = 50

const upload = (api: Client, path: string, parts: Parameters<typeof multipart>[0], more = {}) => {
  const { body, headers } = multipart(parts)
  // Uploads of one Project are paced, and the test's clock stands still.
  kit.clock.jump(UPLOAD_PACE_MS)
  return api.call('POST', path, { body, headers: { ...headers, ...more } })
}

describe('outgoing files', () => {
  it('a file sent as base64 is measured and hashed, and its download returns the same bytes', async () => {
    const { api, base } = await ready()
    const photo = await image('jpeg')
    const body = {
      to: TO,
      type: 'image',
      media: { ...base64(photo), fileName: 'foto.jpg' },
      caption: 'olha',
    }
    const { status, body: sent } = await api.post(`${base}/messages/media`, body)
    assert.equal(status, 201)
    const { id, ...media } = sent.media
    assert.match(id, /^med_/)
    assert.deepEqual(media, {
      mimeType: 'image/jpeg',
      fileName: 'foto.jpg',
      sizeBytes: photo.length,
      sha256: sha(photo),
      durationSeconds: null,
      width: 40,
      height: 30,
      voice: false,
      status: 'available',
    })
    assert.equal(sent.text, 'olha')
    await kit.settle()
    const shown = (await api.get(`${base}/messages/${sent.id}`)).body
    assert.equal(shown.status, 'delivered')
    assert.deepEqual(shown.media, sent.media)
    const { bytes, headers } = await api.download(`${base}/messages/${sent.id}/media`)
    assert.deepEqual(bytes, photo)
    assert.equal(headers['content-type'], 'image/jpeg')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.match(headers['content-security-policy'] ?? '', /sandbox/)
  })

  it('a file sent as a data URL must match the media type that the URL declares', async () => {
    const { api, base } = await ready()
    const photo = await image('png')
    const as = (type: string) =>
      api.post(`${base}/messages`, {
        to: TO,
        type: 'image',
        media: { base64: `data:${type};base64,${photo.toString('base64')}` },
      })
    assert.equal((await as('image/png')).status, 201)
    assert.equal((await as('application/pdf')).status, 415)
  })

  it('a file uploaded once can be sent repeatedly by its id within its Project', async () => {
    const { project, api, base } = await ready()
    const photo = await image('png')
    const parts = [{ name: 'file', value: photo, fileName: 'a/../ç ã.png', type: 'image/png' }]
    const { status, body: uploaded } = await upload(api, '/v1/media', parts)
    assert.equal(status, 201)
    const { id, expiresAt, ...rest } = uploaded
    assert.deepEqual(rest, {
      mimeType: 'image/png',
      fileName: 'ç ã.png',
      sizeBytes: photo.length,
      sha256: sha(photo),
    })
    assert.equal(Date.parse(expiresAt), kit.clock.now() + 30 * DAY)
    for (const type of ['image', 'document']) {
      const { body } = await api.post(`${base}/messages`, { to: TO, type, media: { mediaId: id } })
      assert.equal(body.media.id, id)
    }
    const reuse = { to: TO, media: { mediaId: id } }
    const sticker = await api.post(`${base}/messages/sticker`, reuse)
    assert.notEqual(sticker.body.media.id, id)
    rmSync(join(kit.config.dataDir, 'media', project.projectId), { recursive: true })
    assert.equal((await api.post(`${base}/messages/sticker`, reuse)).status, 404)
    const other = await ready()
    const foreign = { to: TO, type: 'image', media: { mediaId: id } }
    assert.equal((await other.api.post(`${other.base}/messages`, foreign)).status, 404)
  })

  it('a file can be uploaded and sent in one multipart request with the fields in any order', async () => {
    const { api, base } = await ready()
    const path = `${base}/messages/media-upload`
    const file = { name: 'file', value: voice(), fileName: 'recado.ogg', type: 'audio/ogg' }
    const fields = [
      { name: 'to', value: TO },
      { name: 'type', value: 'audio' },
      { name: 'voice', value: 'true' },
      { name: 'metadata', value: '{"loja":"3"}' },
    ]
    for (const parts of [
      [file, ...fields],
      [...fields, file],
    ]) {
      const { status, body } = await upload(api, path, parts)
      assert.equal(status, 201)
      assert.equal(body.type, 'audio')
      assert.equal(body.media.voice, true)
      assert.equal(body.media.durationSeconds, 1)
      assert.deepEqual(body.metadata, { loja: '3' })
    }
    const plain = await upload(api, path, [
      { name: 'file', value: pdf(), fileName: 'a.pdf' },
      { name: 'to', value: TO },
    ])
    assert.equal(plain.body.type, 'document')
    // A list is one JSON array, or a part for each item.
    for (const mentions of [
      ['["5511999990001","5511999990002"]'],
      ['5511999990001', '5511999990002'],
    ]) {
      const { status, body } = await upload(api, path, [
        { name: 'file', value: pdf(), fileName: 'a.pdf' },
        { name: 'to', value: TO },
        ...mentions.map((value) => ({ name: 'mentions', value })),
      ])
      assert.equal(status, 201)
      assert.deepEqual(body.mentions, ['5511999990001', '5511999990002'])
    }
    for (const caption of ['Nota fiscal', '42', 'null', '{"a":1}']) {
      const captioned = await upload(api, path, [
        { name: 'file', value: pdf(), fileName: 'a.pdf' },
        { name: 'to', value: TO },
        { name: 'caption', value: caption },
      ])
      assert.deepEqual([captioned.status, captioned.body.text], [201, caption])
    }
    for (const bad of [
      [file],
      fields,
      [file, file, ...fields],
      [file, { name: 'to', value: 'x' }],
      [file, ...fields, { name: 'cor', value: 'azul' }],
      [file, { name: 'to', value: TO }, { name: 'type', value: 'text' }],
      [file, { name: 'to', value: TO }, { name: 'metadata', value: '{' }],
      [file, { name: 'to', value: TO }, { name: 'to', value: '5511999990001' }],
      [file, ...fields, { name: 'type', value: 'image' }],
    ]) {
      assert.equal((await upload(api, path, bad)).status, 400)
    }
    assert.equal((await api.post(path, { to: TO })).status, 415)
    const many = Array.from({ length: 60 }, (_, n) => ({
      name: 'mentions',
      value: `55119999900${n}`,
    }))
    const refused = await upload(api, path, [file, ...fields, ...many])
    assert.equal(refused.status, 400)
    assert.match(refused.body.error.message, /mais de 50 campos: envie listas como um só campo/)
  })

  it('an upload repeated with the same Idempotency-Key sends one message, and with another file returns 409', async () => {
    const { api, base } = await ready()
    const photo = await image('jpeg')
    const send = (bytes: Buffer) =>
      upload(
        api,
        `${base}/messages/media-upload`,
        [
          { name: 'to', value: TO },
          { name: 'type', value: 'image' },
          { name: 'file', value: bytes, fileName: 'a.jpg' },
        ],
        { 'idempotency-key': 'foto-1' },
      )
    const [first, second] = [await send(photo), await send(photo)]
    assert.equal(second.headers['idempotent-replayed'], 'true')
    assert.deepEqual(second.body, first.body)
    assert.equal((await send(await image('png'))).status, 409)
  })

  it('image formats that phones cannot display are converted to JPEG, and sticker images to WebP of 512 by 512', async () => {
    const { api, base } = await ready()
    for (const format of ['webp', 'gif', 'tiff', 'avif'] as const) {
      const media = { ...base64(await image(format)), fileName: `x.${format}` }
      const { body } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
      assert.equal(body.media.mimeType, 'image/jpeg', format)
      assert.equal(body.media.fileName, 'x.jpg')
    }
    for (const format of ['png', 'jpeg', 'gif'] as const) {
      const media = base64(await image(format))
      const { body } = await api.post(`${base}/messages/sticker`, { to: TO, media })
      const { bytes } = await api.download(`${base}/messages/${body.id}/media`)
      const { format: made, width, height } = await sharp(bytes).metadata()
      assert.deepEqual([made, width, height], ['webp', 512, 512])
    }
  })

  it('a recording in any common format becomes a voice note in Opus, and Opus in Ogg stays as it is', async () => {
    const { api, base } = await ready()
    for (const [name, bytes] of recordings()) {
      const media = { ...base64(bytes), fileName: name }
      const sent = await api.post(`${base}/messages`, { to: TO, type: 'audio', voice: true, media })
      assert.equal(sent.status, 201, `${name}: ${sent.text}`)
      const { mimeType, durationSeconds, fileName, voice: isVoice } = sent.body.media
      assert.deepEqual([mimeType, isVoice], ['audio/ogg; codecs=opus', true], name)
      assert.ok(Math.abs(durationSeconds - 1.5) < 0.1, `${name}: ${durationSeconds} s`)
      assert.equal(fileName, name.replace(/\..*$/, '.ogg'))
      const stored = await api.download(`${base}/messages/${sent.body.id}/media`)
      const { format } = await parseBuffer(stored.bytes)
      assert.deepEqual([format.container, format.codec], ['Ogg', 'Opus'], name)
      assert.equal(name === 'tone-opus.ogg', stored.bytes.equals(bytes), name)
      if (name !== 'tone-opus.ogg') assert.equal(format.numberOfChannels, 1, name)
    }
  })

  it('a voice note in Opus that is too long to be read is sent as it is, without a waveform', async () => {
    const { api, base } = await ready()
    const note = { to: TO, type: 'audio', voice: true, media: base64(longVoice()) }
    const sent = await api.post(`${base}/messages`, note)
    assert.equal(sent.status, 201, sent.text)
    assert.equal(sent.body.media.durationSeconds, 1000)
    const again = { ...note, media: { mediaId: sent.body.media.id } }
    assert.equal((await api.post(`${base}/messages`, again)).body.media.id, sent.body.media.id)
  })

  it('a voice note that is sent again by its id is neither converted nor stored again', async () => {
    const { api, base } = await ready()
    const audio = { to: TO, type: 'audio', voice: true }
    const [, mp3] = recordings().find(([name]) => name === 'tone.mp3') ?? []
    const first = await api.post(`${base}/messages`, { ...audio, media: base64(mp3 ?? voice()) })
    const mediaId = first.body.media.id
    const again = await api.post(`${base}/messages`, { ...audio, media: { mediaId } })
    assert.deepEqual(again.body.media, first.body.media)
  })

  it('a video can be sent as view-once', async () => {
    const { api, base } = await ready()
    const media = base64(video())
    const { body } = await api.post(`${base}/messages`, {
      to: TO,
      type: 'video',
      media,
      viewOnce: true,
    })
    assert.equal(body.media.mimeType, 'video/mp4')
    assert.equal(body.viewOnce, true)
  })
})

describe('invalid files', () => {
  it('an invalid file is rejected before a message is accepted, charged or stored', async () => {
    const { project, api, base, id } = await ready('production')
    const jpeg = await image('jpeg', 400, 300)
    const cases: [string, string, Body, number][] = [
      ['empty', 'image', { base64: '' }, 400],
      ['invalid base64', 'image', { base64: 'não é' }, 400],
      ['two sources', 'image', { base64: 'AAAA', mediaId: 'med_x' }, 400],
      ['no source', 'image', {}, 400],
      ['unknown id', 'image', { mediaId: 'med_x' }, 404],
      ['truncated', 'image', base64(jpeg.subarray(0, jpeg.length / 2)), 400],
      ['a decompression bomb', 'image', base64(await pixelBomb()), 413],
      ['a decompression bomb as a sticker', 'sticker', base64(await pixelBomb()), 413],
      ['an excessive width', 'image', base64(await image('png', 17_000, 10)), 413],
      ['AVIF of 17 megapixels', 'image', base64(await image('avif', 4200, 4100)), 413],
      ['SVG', 'image', base64(svg()), 415],
      ['SVG declared as PNG', 'image', { ...base64(svg()), mimeType: 'image/png' }, 415],
      ['HTML declared as JPEG', 'document', { ...base64(html()), mimeType: 'image/jpeg' }, 415],
      ['PDF as an image', 'image', base64(pdf()), 415],
      ['image as a video', 'video', base64(jpeg), 415],
      ['PDF declared as PNG', 'document', { ...base64(pdf()), mimeType: 'image/png' }, 415],
      ['JPEG declared as PDF', 'document', { ...base64(jpeg), mimeType: 'application/pdf' }, 415],
      ['truncated video', 'video', base64(video().subarray(0, 40)), 400],
      ['private URL', 'image', { url: 'http://169.254.169.254/latest' }, 400],
      ['unsupported URL scheme', 'image', { url: 'ftp://x.com/a.png' }, 400],
    ]
    for (const [name, type, media, status] of cases) {
      const answer = await api.post(`${base}/messages`, { to: TO, type, media })
      assert.equal(answer.status, status, `${name}: ${answer.text}`)
    }
    const unknown = { to: TO, type: 'image', media: base64(svg()) }
    assert.equal((await api.post('/v1/instances/ins_x/messages', unknown)).status, 404)
    const mp3 = Buffer.concat(
      Array.from({ length: 20 }, () => Buffer.from('fffb9064'.padEnd(834, '0'), 'hex')),
    )
    const audio = { to: TO, type: 'audio', media: base64(mp3) }
    const noVoice = { ...audio, media: base64(pdf()), voice: true }
    assert.equal((await api.post(`${base}/messages`, noVoice)).status, 415)
    assert.equal((await api.post(`${base}/messages`, audio)).status, 201)
    await kit.settle()
    assert.equal((await api.get(`${base}/messages`)).body.items.length, 1)
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 999)
    assert.equal((await api.get(`/v1/instances/${id}`)).body.queue.pending, 0)
    const dir = join(kit.config.dataDir, 'media', project.projectId, 'production')
    assert.equal(readdirSync(dir).length, 1)
    assert.deepEqual(readdirSync(join(kit.config.dataDir, 'staging')), [])
  })

  it('an upload with a revoked key is rejected before its file is read', async () => {
    const { project, api, base } = await ready()
    const owner = await kit.login(project)
    assert.equal((await owner.delete(`/v1/keys/${api.keyId}`)).status, 204)
    for (const path of ['/v1/media', `${base}/messages/media-upload`]) {
      const socket = connect(kit.port, '127.0.0.1')
      // The rest of the file never comes.
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${api.key}\r\n` +
          'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000000\r\n\r\n' +
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nabc',
      )
      const [answer] = (await once(socket, 'data')) as [Buffer]
      assert.match(answer.toString(), /^HTTP\/1\.1 401 /, path)
      socket.destroy()
    }
  })

  it('the file of a rejected send is not stored', async () => {
    const { project, api, base } = await ready()
    await api.post(`${base}/disconnect`)
    const media = base64(await image('jpeg'))
    const refused = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
    assert.equal(refused.status, 409)
    const kept = () => {
      const dir = join(kit.config.dataDir, 'media', project.projectId, 'test')
      return existsSync(dir) ? readdirSync(dir) : []
    }
    assert.deepEqual(kept(), [])
    const ana = await kit.phone(api)
    const nowhere = { to: '120363000000000000@g.us', type: 'image', media }
    assert.equal((await api.post(`${ana.base}/messages`, nowhere)).status, 400)
    assert.deepEqual(kept(), [])
  })

  it('an upload over 100 MiB is rejected with 413, and an aborted upload leaves no staging file', async () => {
    const { api } = await ready()
    const large = Buffer.alloc(101 * 1024 * 1024)
    const tooLarge = await upload(api, '/v1/media', [{ name: 'file', value: large, fileName: 'x' }])
    assert.equal(tooLarge.status, 413)
    const { body, headers } = multipart([
      { name: 'file', value: await image('png', 900, 900), fileName: 'x' },
    ])
    await new Promise<void>((resolve) => {
      const socket = connect(kit.port, '127.0.0.1', () => {
        socket.write(
          `POST /v1/media HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${api.key}\r\n` +
            `Content-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
        )
        socket.write(body.subarray(0, body.length / 2), () => socket.destroy())
      })
      socket.on('close', () => resolve())
    })
    // The server notices the aborted connection asynchronously: other requests give it time to clean up.
    const staging = join(kit.config.dataDir, 'staging')
    for (let tries = 0; tries < 50 && readdirSync(staging).length > 0; tries++) {
      await api.get('/v1/instances')
    }
    assert.deepEqual(readdirSync(staging), [])
    const broken = await api.call('POST', '/v1/media', {
      body: body.subarray(0, body.length - 20),
      headers,
    })
    assert.equal(broken.status, 400)
    assert.equal((await api.post('/v1/media', {})).status, 415)
    for (const boundary of ['', `; boundary=${'b'.repeat(300)}`]) {
      const type = { 'content-type': `multipart/form-data${boundary}` }
      assert.equal((await api.call('POST', '/v1/media', { body, headers: type })).status, 400)
    }
  })
})

describe('many uploads', () => {
  it('a Project that uploads ten files at once waits for the next, and other Projects do not', async () => {
    const [busy, other] = [await kit.key(await kit.project()), await kit.key(await kit.project())]
    const { body, headers } = multipart([{ name: 'file', value: pdf(), fileName: 'a' }])
    const send = (api: Client) => api.call('POST', '/v1/media', { body, headers })
    for (let count = 0; count < 10; count++) assert.equal((await send(busy)).status, 201)
    let isDone = false
    const next = send(busy).then(({ status }) => {
      isDone = true
      return status
    })
    assert.equal((await send(other)).status, 201)
    assert.equal(isDone, false)
    kit.clock.jump(UPLOAD_PACE_MS)
    assert.equal(await next, 201)
  })

  it('clients that leave while their uploads wait occupy no slot afterwards', async () => {
    const api = await kit.key(await kit.project())
    const { body, headers } = multipart([{ name: 'file', value: pdf(), fileName: 'a' }])
    const send = () => api.call('POST', '/v1/media', { body, headers })
    for (let count = 0; count < 10; count++) assert.equal((await send()).status, 201)
    const sockets = Array.from({ length: 8 }, () => connect(kit.port, '127.0.0.1'))
    for (const socket of sockets)
      socket.write(
        Buffer.concat([
          Buffer.from(
            `POST /v1/media HTTP/1.1\r\nHost: ${HOSTS.test}\r\nAuthorization: Bearer ${api.key}\r\n` +
              `Content-Type: ${headers['content-type']}\r\nContent-Length: ${body.length}\r\n\r\n`,
          ),
          body,
        ]),
      )
    const waiting = send()
    // The server responds to these one after the other, so that the uploads get as far as their wait.
    for (let count = 0; count < 20; count++) await api.get('/v1/me')
    for (const socket of sockets) socket.destroy()
    await Promise.all(sockets.map((socket) => once(socket, 'close')))
    for (let turn = 0; turn < 20; turn++) await kit.jump(100)
    assert.equal((await waiting).status, 201)
    assert.equal((await send()).status, 201)
  })
})

describe('files sent by URL', () => {
  it('a file URL is fetched after the send is accepted, and later messages keep their order', async () => {
    const { api, base } = await ready()
    const host = await kit.receiver()
    const photo = await image('png')
    host.answer = (response) =>
      void response.writeHead(200, { 'content-type': 'image/png' }).end(photo)
    const ana = await kit.phone(api)
    const media = { url: `${host.url}/foto.png` }
    const { body: first } = await api.post(`${base}/messages`, {
      to: ana.phone,
      type: 'image',
      media,
    })
    assert.equal(first.media.status, 'pending')
    await api.post(`${base}/messages`, { to: ana.phone, text: 'depois da foto' })
    await kit.settle()
    const shown = (await api.get(`${base}/messages/${first.id}`)).body
    assert.equal(shown.status, 'delivered')
    assert.equal(shown.media.status, 'available')
    assert.equal(shown.media.sha256, sha(photo))
    assert.equal(shown.media.fileName, 'foto.png')
    const inbox = (await api.get(`${ana.base}/inbox`)).body.items
    assert.deepEqual(
      inbox.map((item: { type: string }) => item.type),
      ['text', 'image'],
    )
    assert.equal(host.received[0]?.method, 'GET')
  })

  it('the bytes of a file decide, whatever type its host declares', async () => {
    const { api, base } = await ready()
    const host = await kit.receiver()
    const photo = await image('jpeg')
    for (const type of ['application/force-download', 'text/plain', 'audio/mpeg', 'nonsense']) {
      host.answer = (response) => void response.writeHead(200, { 'content-type': type }).end(photo)
      const media = { url: `${host.url}/foto` }
      const { body } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
      await kit.settle()
      const shown = (await api.get(`${base}/messages/${body.id}`)).body
      assert.deepEqual([shown.status, shown.media.mimeType], ['delivered', 'image/jpeg'], type)
    }
  })

  it('a message whose file URL cannot be used fails with an error code and its credit is refunded', async () => {
    const { project, api, base } = await ready('production')
    const host = await kit.receiver()
    const answers: Record<string, [number, Buffer]> = {
      '/missing': [404, Buffer.from('no')],
      '/html': [200, html()],
      '/large': [200, Buffer.alloc(17 * 1024 * 1024)],
      '/empty': [200, Buffer.alloc(0)],
    }
    host.answer = (response, { path }) => {
      const [status, bytes] = answers[path] ?? [500, Buffer.from('')]
      response.writeHead(status).end(bytes)
    }
    const codes: Record<string, string> = {
      '/missing': 'MEDIA_FETCH_FAILED',
      '/html': 'MEDIA_UNSUPPORTED',
      '/large': 'MEDIA_TOO_LARGE',
      '/empty': 'MEDIA_UNSUPPORTED',
    }
    const events = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: events.url })
    for (const [path, code] of Object.entries(codes)) {
      const media = { url: host.url + path }
      const { body } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
      await kit.settle()
      const shown = (await api.get(`${base}/messages/${body.id}`)).body
      assert.deepEqual([shown.status, shown.error?.code], ['failed', code], path)
    }
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 1000)
    assert.equal(events.events('message.status').length, 4)
  })

  it('a file URL whose host is unavailable is tried three times', async () => {
    const { api, base } = await ready()
    const host = await kit.receiver()
    host.answer = (response) => void response.writeHead(503).end()
    const media = { url: `${host.url}/x.png` }
    const { body } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
    await kit.settle()
    for (let count = 0; count < 4; count++) await kit.jump(2100)
    assert.equal(host.received.length, 3)
    const shown = (await api.get(`${base}/messages/${body.id}`)).body
    assert.equal(shown.error.code, 'MEDIA_FETCH_FAILED')
    assert.equal(shown.error.retryable, true)
  })

  it('a file URL that does not complete fails after thirty seconds, and later messages are then sent', async () => {
    const { api, base } = await ready()
    const host = await kit.receiver()
    host.answer = (response) => {
      response.writeHead(200, { 'content-type': 'image/png' })
      response.write('x')
    }
    const media = { url: `${host.url}/x.png` }
    const { body: slow } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
    const { body: behind } = await api.post(`${base}/messages`, { to: TO, text: 'depois' })
    while (host.received.length === 0) await api.get('/v1/instances')
    assert.equal((await api.get(`${base}/messages/${behind.id}`)).body.status, 'queued')
    // kit.settle() would wait for the pending download.
    kit.clock.jump(30_100)
    await kit.settle()
    assert.equal(
      (await api.get(`${base}/messages/${slow.id}`)).body.error.code,
      'MEDIA_FETCH_FAILED',
    )
    assert.equal((await api.get(`${base}/messages/${behind.id}`)).body.status, 'delivered')
  })

  it('a file URL that redirects to a private address is not followed', async () => {
    const { api, base } = await ready()
    const host = await kit.receiver()
    host.answer = (response) =>
      void response.writeHead(302, { location: 'http://[::ffff:10.0.0.1]/x.png' }).end()
    const media = { url: `${host.url}/x.png` }
    const { body } = await api.post(`${base}/messages`, { to: TO, type: 'image', media })
    await kit.settle()
    const shown = (await api.get(`${base}/messages/${body.id}`)).body
    assert.equal(shown.error.code, 'MEDIA_FETCH_FAILED')
    assert.equal(host.received.length, 1)
  })
})

describe('incoming files', () => {
  const receive = async (settings = {}) => {
    const all = await ready()
    await all.api.patch(all.base, { settings })
    await kit.settle()
    const ana = await kit.phone(all.api)
    const photo = await image('jpeg')
    const body = { to: all.phone, type: 'image', media: base64(photo), caption: 'veja' }
    assert.equal((await all.api.post(`${ana.base}/messages`, body)).status, 201)
    await kit.settle()
    const [message] = (await all.api.get(`${all.base}/messages`)).body.items
    return { ...all, photo, message, path: `${all.base}/messages/${message.id}/media` }
  }

  it('an incoming file is stored and can be downloaded whole, by range or conditionally', async () => {
    const { api, photo, message, path } = await receive()
    assert.equal(message.media.status, 'available')
    assert.equal(message.media.sha256, sha(photo))
    assert.equal(message.text, 'veja')
    const whole = await api.download(path)
    assert.deepEqual(whole.bytes, photo)
    assert.equal(whole.headers['accept-ranges'], 'bytes')
    const part = await api.download(path, { range: 'bytes=10-19' })
    assert.equal(part.status, 206)
    assert.equal(part.headers['content-range'], `bytes 10-19/${photo.length}`)
    assert.deepEqual(part.bytes, photo.subarray(10, 20))
    const last = await api.download(path, { range: 'bytes=-5' })
    assert.deepEqual(last.bytes, photo.subarray(-5))
    const outside = await api.download(path, { range: `bytes=${photo.length}-` })
    assert.equal(outside.status, 416)
    assert.equal(outside.headers['content-range'], `bytes */${photo.length}`)
    assert.equal(JSON.parse(outside.bytes.toString()).error.code, 'RANGE_NOT_SATISFIABLE')
    const several = await api.download(path, { range: 'bytes=0-1,4-5' })
    assert.deepEqual([several.status, several.bytes.length], [200, photo.length])
    const etag = whole.headers['etag'] ?? ''
    assert.equal((await api.download(path, { 'if-none-match': etag })).status, 304)
    const stale = await api.download(path, { range: 'bytes=0-1', 'if-range': '"x"' })
    assert.equal(stale.status, 200)
  })

  it('an incoming file is fetched from the network on first download when downloadMedia is off', async () => {
    const { api, base, photo, message, path } = await receive({ downloadMedia: false })
    assert.equal(message.media.status, 'pending')
    assert.deepEqual((await api.download(path)).bytes, photo)
    assert.equal((await api.get(`${base}/messages/${message.id}`)).body.media.status, 'available')
  })

  it('an incoming file is deleted after 30 days and its message shows it as expired', async () => {
    const { api, base, message, path } = await receive()
    await kit.jump(30 * DAY + 3600_000)
    const shown = (await api.get(`${base}/messages/${message.id}`)).body
    assert.equal(shown.media.status, 'expired')
    const gone = await api.download(path)
    assert.equal(gone.status, 404)
    assert.equal(JSON.parse(gone.bytes.toString()).error.message, 'a mídia venceu e foi apagada')
  })

  it('an incoming HTML file is served as an opaque attachment, never as a page', async () => {
    const { api, base, phone } = await ready()
    const ana = await kit.phone(api)
    const media = { ...base64(html()), fileName: 'nota"\r\n.html' }
    await api.post(`${ana.base}/messages`, { to: phone, type: 'document', media })
    await kit.settle()
    const [message] = (await api.get(`${base}/messages`)).body.items
    const { headers } = await api.download(`${base}/messages/${message.id}/media`)
    assert.equal(headers['content-type'], 'application/octet-stream')
    assert.match(headers['content-disposition'] ?? '', /^attachment; filename="nota_\.html"/)
  })

  it('an incoming file is not accessible to another Project, and a message without a file returns 404', async () => {
    const { path } = await receive()
    const other = await ready()
    assert.equal((await other.api.download(path)).status, 404)
    const { api, base } = await ready()
    const { body } = await api.post(`${base}/messages`, { to: TO, text: 'sem mídia' })
    assert.equal((await api.download(`${base}/messages/${body.id}/media`)).status, 404)
  })
})
