// Photos and videos that are sent together, and those that contacts send together (G105).
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Body } from '../kit/client.ts'
import { image } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

async function ready(credits = 10) {
  const project = await kit.project({ credits })
  const api = await kit.key(project)
  const instance = await kit.pair(api)
  const ana = await kit.phone(api, { name: 'Ana' })
  const album = `${instance.base}/messages/album`
  const count = async (): Promise<number> =>
    (await api.get(`${instance.base}/messages`)).body.items.length
  return { project, api, instance, ana, album, count }
}

async function photo(more: object = {}) {
  const base64 = (await image('png')).toString('base64')
  return { type: 'image', media: { base64 }, ...more }
}

describe('an album', () => {
  it('an album is sent as one message for each photo, in order, which name the album on both sides', async () => {
    const { api, instance, ana, album } = await ready()
    const items = [await photo({ caption: 'um' }), await photo({ caption: 'dois' }), await photo()]
    const { status, body } = await api.post(album, { to: ana.phone, items, clientReference: 'p1' })
    assert.equal(status, 201)
    const [{ albumId }] = body.items
    assert.match(albumId, /^3EB0/)
    assert.deepEqual(
      body.items.map((one: Body) => [one.type, one.text, one.albumId, one.clientReference]),
      [
        ['image', 'um', albumId, 'p1'],
        ['image', 'dois', albumId, 'p1'],
        ['image', null, albumId, 'p1'],
      ],
    )
    await kit.settle()
    const { items: inbox } = (await api.get(`${ana.base}/inbox`)).body
    assert.deepEqual(inbox.map((one: Body) => [one.text, one.albumId]).toReversed(), [
      ['um', albumId],
      ['dois', albumId],
      [null, albumId],
    ])
    // A forwarded photo stands alone.
    const bia = await kit.phone(api, { name: 'Bia' })
    const path = `${instance.base}/messages/${body.items[0].id}/forward`
    assert.ok(!('albumId' in (await api.post(path, { to: bia.phone })).body))
  })

  it('an album is accepted as a whole or not at all', async () => {
    const project = await kit.project({ credits: 1 })
    const api = await kit.key(project, 'production')
    const instance = await kit.pair(api)
    const path = `${instance.base}/messages`
    const items = [await photo(), await photo()]
    const refused = await api.post(`${path}/album`, { to: '5511980000001', items })
    assert.deepEqual([refused.status, refused.body.error.reason], [402, 'INSUFFICIENT_CREDITS'])
    assert.deepEqual((await api.get(path)).body.items, [])
    assert.equal((await api.get('/v1/me')).body.credits, 1)
    // Of two files, the second one does not exist.
    const half = [items[0], { type: 'image', media: { mediaId: 'med_nada' } }]
    assert.equal(
      (await api.post(`${path}/album`, { to: '5511980000001', items: half })).status,
      404,
    )
    assert.deepEqual((await api.get(path)).body.items, [])
  })

  it('an album sent in the panel reaches webhooks that subscribe to panel messages, photo by photo', async () => {
    const { project, api, ana, album } = await ready()
    const receiver = await kit.receiver()
    await api.post('/v1/webhooks', { name: 'w', url: receiver.url, include: ['own'] })
    const user = await kit.login(project)
    const items = [await photo({ caption: 'um' }), await photo({ caption: 'dois' })]
    const headers = { 'x-recado-panel': '1' }
    const sent = await user.post(`/panel/api/test${album}`, { to: ana.phone, items }, headers)
    assert.equal(sent.status, 201)
    await kit.settle()
    assert.deepEqual(
      receiver
        .events('message.received')
        .map(({ body }) => `${body.data.message.text} from ${body.data.message.origin}`)
        .toSorted((a, b) => a.localeCompare(b)),
      ['dois from panel', 'um from panel'],
    )
  })

  it('an album waits like any other message while its instance is offline', async () => {
    const { api, instance, ana, album } = await ready()
    // The simulator drops the connection after a message to this number.
    await api.post(`${instance.base}/messages`, { to: '5511980000006', text: 'x' })
    await kit.settle()
    assert.equal((await api.get(instance.base)).body.status, 'DISCONNECTED')
    const items = [await photo(), await photo()]
    assert.equal((await api.post(album, { to: ana.phone, items })).status, 201)
    await kit.jump(5000)
    assert.equal((await api.get(`${ana.base}/inbox`)).body.items.length, 2)
    const ghost = await api.post('/v1/instances/ins_nada/messages/album', { to: ana.phone, items })
    assert.equal(ghost.status, 404)
  })

  it('an album is sent once for one Idempotency-Key', async () => {
    const { api, ana, album, count } = await ready()
    const body = { to: ana.phone, items: [await photo(), await photo()] }
    const headers = { 'idempotency-key': 'album-1' }
    const first = await api.post(album, body, headers)
    const again = await api.post(album, body, headers)
    assert.deepEqual([first.status, again.status], [201, 201])
    assert.deepEqual(again.body, first.body)
    assert.equal(await count(), 2)
  })

  it('concurrent albums are all sent, even if there are more of them than connections', async () => {
    const { api, ana, album, count } = await ready()
    const items = [await photo(), await photo()]
    const sent = await Promise.all(
      Array.from({ length: 20 }, () => api.post(album, { to: ana.phone, items })),
    )
    assert.ok(sent.every(({ status }) => status === 201))
    assert.equal(await count(), 40)
  })

  it('an album has two to thirty photos and videos, and nothing else', async () => {
    const { api, ana, album, count } = await ready()
    const one = await photo()
    const many = Array.from({ length: 31 }, () => ({ type: 'image', media: { mediaId: 'x' } }))
    for (const items of [
      [],
      [one],
      many,
      [one, { ...one, type: 'audio' }],
      [one, { type: 'image' }],
    ])
      assert.equal((await api.post(album, { to: ana.phone, items })).status, 400)
    assert.equal((await api.post(album, { items: [one, one] })).status, 400)
    // A video does not count as a photo.
    const wrong = [one, { ...one, type: 'video' }]
    assert.equal((await api.post(album, { to: ana.phone, items: wrong })).status, 415)
    assert.equal(await count(), 0)
  })

  it('an album with a file from an address keeps its order', async () => {
    const { api, ana, album } = await ready()
    const source = await kit.receiver()
    const bytes = await image('png')
    source.answer = (response) =>
      void response.writeHead(200, { 'content-type': 'image/png' }).end(bytes)
    const items = [
      { type: 'image', caption: 'longe', media: { url: `${source.url}/longe.png` } },
      await photo(),
    ]
    const { status, body } = await api.post(album, { to: ana.phone, items })
    assert.equal(status, 201)
    await kit.settle()
    const { items: inbox } = (await api.get(`${ana.base}/inbox`)).body
    assert.deepEqual(
      inbox.map(({ waMessageId }: Body) => waMessageId).toReversed(),
      body.items.map(({ waMessageId }: Body) => waMessageId),
    )
  })
})
