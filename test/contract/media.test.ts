// Specification §4.5, contract §2.2: files out, in and over HTTP.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import type { Body, Client } from '../kit/client.ts'
import { html, image, multipart, pdf, pixelBomb, svg, video, voice } from '../kit/files.ts'
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
const upload = (api: Client, path: string, parts: Parameters<typeof multipart>[0], more = {}) => {
  const { body, headers } = multipart(parts)
  return api.call('POST', path, { body, headers: { ...headers, ...more } })
}

/** The bytes of a message's file, as they travel. */
describe('the file of a send', () => {
  it('comes as base64, is measured and hashed, and its bytes come back', async () => {
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

  it('comes as a data URL, whose type counts as declared', async () => {
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

  it('is uploaded once and sent often by its id', async () => {
    const { api, base } = await ready()
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
    const sticker = await api.post(`${base}/messages/sticker`, { to: TO, media: { mediaId: id } })
    assert.notEqual(sticker.body.media.id, id)
    const other = await ready()
    const foreign = { to: TO, type: 'image', media: { mediaId: id } }
    assert.equal((await other.api.post(`${other.base}/messages`, foreign)).status, 404)
  })

  it('is uploaded and sent in one request, with the fields in any order', async () => {
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
    for (const bad of [
      [file],
      fields,
      [file, file, ...fields],
      [file, { name: 'to', value: 'x' }],
      [file, ...fields, { name: 'cor', value: 'azul' }],
      [file, { name: 'to', value: TO }, { name: 'type', value: 'text' }],
      [file, { name: 'to', value: TO }, { name: 'metadata', value: '{' }],
    ]) {
      assert.equal((await upload(api, path, bad)).status, 400)
    }
    assert.equal((await api.post(path, { to: TO })).status, 415)
  })

  it('is one send however often an upload with one Idempotency-Key is repeated', async () => {
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

  it('is made to fit: what a phone would not show becomes a photograph, and any image a sticker', async () => {
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

  it('may be for one look only', async () => {
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

describe('a file that is no good', () => {
  it('is refused before anything is accepted, charged or kept', async () => {
    const { project, api, base, id } = await ready('production')
    const jpeg = await image('jpeg', 400, 300)
    const cases: [string, string, Body, number][] = [
      ['empty', 'image', { base64: '' }, 400],
      ['no base64', 'image', { base64: 'não é' }, 400],
      ['two sources', 'image', { base64: 'AAAA', mediaId: 'med_x' }, 400],
      ['no source', 'image', {}, 400],
      ['unknown id', 'image', { mediaId: 'med_x' }, 404],
      ['cut off', 'image', base64(jpeg.subarray(0, jpeg.length / 2)), 400],
      ['a bomb', 'image', base64(await pixelBomb()), 413],
      ['a bomb of a sticker', 'sticker', base64(await pixelBomb()), 413],
      ['a very long side', 'image', base64(await image('png', 17_000, 10)), 413],
      ['AVIF of 17 megapixels', 'image', base64(await image('avif', 4200, 4100)), 413],
      ['SVG', 'image', base64(svg()), 415],
      ['SVG that says PNG', 'image', { ...base64(svg()), mimeType: 'image/png' }, 415],
      ['HTML that says JPEG', 'document', { ...base64(html()), mimeType: 'image/jpeg' }, 415],
      ['PDF as an image', 'image', base64(pdf()), 415],
      ['image as a video', 'video', base64(jpeg), 415],
      ['PDF that says PNG', 'document', { ...base64(pdf()), mimeType: 'image/png' }, 415],
      ['JPEG that says PDF', 'document', { ...base64(jpeg), mimeType: 'application/pdf' }, 415],
      ['video cut off', 'video', base64(video().subarray(0, 40)), 400],
      ['private URL', 'image', { url: 'http://169.254.169.254/latest' }, 400],
      ['no URL', 'image', { url: 'ftp://x.com/a.png' }, 400],
    ]
    for (const [name, type, media, status] of cases) {
      const answer = await api.post(`${base}/messages`, { to: TO, type, media })
      assert.equal(answer.status, status, `${name}: ${answer.text}`)
    }
    const mp3 = Buffer.concat(
      Array.from({ length: 20 }, () => Buffer.from('fffb9064'.padEnd(834, '0'), 'hex')),
    )
    const audio = { to: TO, type: 'audio', media: base64(mp3) }
    assert.equal((await api.post(`${base}/messages`, { ...audio, voice: true })).status, 415)
    assert.equal((await api.post(`${base}/messages`, audio)).status, 201)
    await kit.settle()
    assert.equal((await api.get(`${base}/messages`)).body.items.length, 1)
    assert.equal(await kit.operator.billing.credits(kit.db, project.projectId), 999)
    assert.equal((await api.get(`/v1/instances/${id}`)).body.queue.pending, 0)
    const dir = join(kit.config.dataDir, 'media', project.projectId, 'production')
    assert.equal(readdirSync(dir).length, 1)
    assert.deepEqual(readdirSync(join(kit.config.dataDir, 'media', 'staging')), [])
  })

  it('is kept by nobody when its send is refused', async () => {
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

  it('of more than 100 MiB is a 413, and one that is cut off in the middle leaves nothing behind', async () => {
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
    // The server has noticed when it answers somebody else with an empty folder.
    const staging = join(kit.config.dataDir, 'media', 'staging')
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

describe('a URL', () => {
  it('is fetched after the send is accepted, and messages behind it keep their place', async () => {
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

  it('that cannot be had ends its message with a code and gives its credit back', async () => {
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

  it('of a host that is away is tried three times', async () => {
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

  it('of a host that drips is given up after thirty seconds, and holds nobody up for longer', async () => {
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
    // Nothing settles while the host drips.
    kit.clock.jump(30_100)
    await kit.settle()
    assert.equal(
      (await api.get(`${base}/messages/${slow.id}`)).body.error.code,
      'MEDIA_FETCH_FAILED',
    )
    assert.equal((await api.get(`${base}/messages/${behind.id}`)).body.status, 'delivered')
  })

  it('that leads to a private address by redirect is not followed there', async () => {
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

describe('a file that came with a message', () => {
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

  it('is stored, told of in the event, and given out whole, in part, or not again', async () => {
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
    assert.equal((await api.download(path, { range: `bytes=${photo.length}-` })).status, 416)
    const several = await api.download(path, { range: 'bytes=0-1,4-5' })
    assert.deepEqual([several.status, several.bytes.length], [200, photo.length])
    const etag = whole.headers['etag'] ?? ''
    assert.equal((await api.download(path, { 'if-none-match': etag })).status, 304)
    const stale = await api.download(path, { range: 'bytes=0-1', 'if-range': '"x"' })
    assert.equal(stale.status, 200)
  })

  it('stays with the network until it is asked for, where the instance is set so', async () => {
    const { api, base, photo, message, path } = await receive({ downloadMedia: false })
    assert.equal(message.media.status, 'pending')
    assert.deepEqual((await api.download(path)).bytes, photo)
    assert.equal((await api.get(`${base}/messages/${message.id}`)).body.media.status, 'available')
  })

  it('is forgotten when its time is over, and its record says so', async () => {
    const { api, base, message, path } = await receive()
    await kit.jump(30 * DAY + 3600_000)
    const shown = (await api.get(`${base}/messages/${message.id}`)).body
    assert.equal(shown.media.status, 'expired')
    const gone = await api.download(path)
    assert.equal(gone.status, 404)
    assert.equal(JSON.parse(gone.bytes.toString()).error.message, 'a mídia venceu e foi apagada')
  })

  it('is a page or a script for nobody', async () => {
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

  it('is nobody else’s', async () => {
    const { path } = await receive()
    const other = await ready()
    assert.equal((await other.api.download(path)).status, 404)
    const { api, base } = await ready()
    const { body } = await api.post(`${base}/messages`, { to: TO, text: 'sem mídia' })
    assert.equal((await api.download(`${base}/messages/${body.id}/media`)).status, 404)
  })
})
