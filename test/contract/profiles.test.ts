// What people, groups and numbers show about themselves.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import sharp from 'sharp'
import { startTestApp, type TestApp } from '../kit/test-app.ts'
import { image } from '../kit/files.ts'
import { startScripted } from '../kit/scripted-network.ts'

let kit: TestApp
let base64: string
before(async () => {
  kit = await startTestApp()
  base64 = (await image('png', 40, 30)).toString('base64')
})
after(() => kit.close())

const HOUR_MS = 3600_000

async function ready() {
  const project = await kit.project()
  const api = await kit.key(project)
  const instance = await kit.pair(api, 'Loja')
  const ana = await kit.phone(api, { name: 'Ana' })
  await api.post(`${ana.base}/messages`, { to: instance.phone, text: 'oi' })
  await kit.settle()
  const contact = `${instance.base}/contacts/${ana.phone}`
  return { project, api, instance, ana, contact }
}

describe('profiles', () => {
  it('profiles return a contact’s texts and picture, and the new picture after a change', async () => {
    const { api, instance, ana, contact } = await ready()
    const nothing = { name: 'Ana', about: null, business: null }
    assert.deepEqual((await api.get(`${contact}/profile`)).body, nothing)
    assert.equal((await api.get(`${contact}/picture`)).status, 204)
    const wide = await sharp({
      create: { width: 900, height: 300, channels: 3, background: 'red' },
    })
      .png()
      .toBuffer()
    const shown = { about: 'Atendo à tarde', picture: { base64: wide.toString('base64') } }
    const changed = await api.patch(ana.base, shown)
    assert.equal(changed.body.about, 'Atendo à tarde')
    await kit.settle()
    // The texts are asked for once per hour.
    assert.deepEqual((await api.get(`${contact}/profile`)).body, nothing)
    await kit.jump(HOUR_MS)
    assert.equal((await api.get(`${contact}/profile`)).body.about, 'Atendo à tarde')
    const picture = await api.download(`${contact}/picture`)
    assert.equal(picture.headers['content-type'], 'image/jpeg')
    const { width, height, format } = await sharp(picture.bytes).metadata()
    assert.deepEqual([width, height, format], [640, 640, 'jpeg'])
    const [{ id }] = (await api.get(`${instance.base}/conversations`)).body.items
    const chat = `${instance.base}/conversations/${id}/picture`
    assert.deepEqual((await api.download(chat)).bytes, picture.bytes)
    const part = await api.download(`${contact}/picture`, { range: 'bytes=10-19' })
    assert.equal(part.status, 206)
    assert.deepEqual(part.bytes, picture.bytes.subarray(10, 20))
    const etag = String(picture.headers['etag'])
    const again = await api.call('GET', `${contact}/picture`, {
      headers: { 'if-none-match': etag },
    })
    assert.equal(again.status, 304)
    assert.match(String(picture.headers['cache-control']), /^private, max-age=60$/)
  })

  it('a number can change its profile and the pictures of groups, and a file that is no image is rejected', async () => {
    const { project, api, instance, ana } = await ready()
    const profile = `${instance.base}/profile`
    const about = 'Aberto até as 20h'
    const expected = { name: 'Loja', about, business: null }
    assert.deepEqual((await api.patch(profile, { about })).body, expected)
    assert.deepEqual((await api.get(profile)).body, expected)
    assert.equal((await api.patch(profile, { about: 'x'.repeat(140) })).status, 400)
    const subject = { subject: 'Obras', participants: [ana.phone] }
    const groupId = (await api.post(`${instance.base}/groups`, subject)).body.id
    for (const path of [`${profile}/picture`, `${instance.base}/groups/${groupId}/picture`]) {
      assert.equal((await api.get(path)).status, 204, path)
      assert.equal((await api.put(path, { base64 })).status, 204, path)
      assert.equal((await api.download(`${path}?size=preview`)).status, 200, path)
      const text = { base64: Buffer.from('oi').toString('base64'), mimeType: 'image/png' }
      assert.equal((await api.put(path, text)).status, 415, path)
      assert.equal((await api.put(path, {})).status, 400, path)
      assert.equal((await api.put(path, { mediaId: 'med_nada' })).status, 404, path)
      assert.equal((await api.delete(path)).status, 204, path)
      assert.equal((await api.get(`${path}?size=preview`)).status, 204, path)
      assert.equal((await api.get(`${path}?size=huge`)).status, 400, path)
    }
    // Nothing is left of what was only converted.
    const left = await kit.db.system`
      select 1 from media where project_id = ${project.projectId} and status = 'available'`
    assert.equal(left.length, 0)
  })

  it('profiles are served as they were last seen while the number is not connected', async () => {
    const { api, instance, ana, contact } = await ready()
    await api.patch(ana.base, { about: 'Oi', picture: { base64 } })
    await kit.settle()
    assert.equal((await api.download(`${contact}/picture`)).status, 200)
    await api.get(`${contact}/profile`)
    await api.post(`${instance.base}/disconnect`)
    await kit.settle()
    await kit.jump(25 * HOUR_MS)
    assert.equal((await api.download(`${contact}/picture`)).status, 200)
    assert.equal((await api.get(`${contact}/profile`)).body.about, 'Oi')
    // What was never read cannot be shown.
    const unseen = await api.get(`${contact}/picture?size=preview`)
    assert.equal(unseen.body.error.reason, 'INSTANCE_NOT_CONNECTED')
  })

  it('profiles show the stored picture of a conversation, in lists, without asking the network', async () => {
    const { project, api, instance, ana, contact } = await ready()
    await api.patch(ana.base, { picture: { base64 } })
    await kit.settle()
    const [{ id }] = (await api.get(`${instance.base}/conversations`)).body.items
    const listed = `${instance.base}/conversations/${id}/picture?size=preview&cached=true`
    assert.equal((await api.get(listed)).status, 204)
    const asked = await api.download(`${contact}/picture?size=preview`)
    await kit.jump(25 * HOUR_MS)
    await api.post(`${instance.base}/disconnect`)
    assert.deepEqual((await api.download(listed)).bytes, asked.bytes)
    const other = await kit.key(await kit.project())
    assert.equal((await other.get(listed)).status, 404)
    const production = await kit.key(project, 'production')
    assert.equal((await production.get(listed)).status, 404)
  })

  it('profiles are requested from the network at a limited rate per number', async () => {
    let asked = 0
    const scripted = await startScripted(
      {},
      {
        findPicture: async () => {
          asked++
          return null
        },
      },
    )
    try {
      const { api, base, listener } = await scripted.connect()
      const people = Array.from({ length: 50 }, (_, index) => `55119${80000000 + index}`)
      await listener.onEvents(
        people.map((phone) => ({
          kind: 'contact' as const,
          party: { phone, lid: null, name: 'x' },
          at: scripted.app.clock.now(),
          id: null,
        })),
      )
      // A burst of thirty, then two per second. The others get 503 with Retry-After.
      const ask = async (phones: string[]) => {
        const answers = await Promise.all(
          phones.map((phone) => api.get(`${base}/contacts/${phone}/picture`)),
        )
        for (const { status, headers } of answers)
          if (status === 503) assert.equal(headers['retry-after'], '5')
        return answers.filter(({ status }) => status === 204).length
      }
      assert.equal(await ask(people), 30)
      await scripted.app.jump(5000)
      // Those already read cost nothing.
      assert.equal(await ask(people), 40)
      assert.equal(asked, 40)
    } finally {
      await scripted.app.close()
    }
  })

  it('requests to an unresponsive network, such as profiles, do not block other reads', async () => {
    let asked = 0
    const allAsked = Promise.withResolvers<void>()
    const never = () => {
      if (++asked === 7) allAsked.resolve()
      return new Promise<never>(() => {})
    }
    const scripted = await startScripted(
      {},
      { findPicture: never, findProfile: never, listBlocked: never, groupInvite: never },
    )
    try {
      const { api, base, listener } = await scripted.connect()
      const at = scripted.app.clock.now()
      const party = { phone: '5511980000001', lid: null, name: 'Ana' }
      const group = {
        groupId: '120363000000000001@g.us',
        subject: 'Obras',
        description: null,
        owner: party,
        participants: [],
        settings: null,
        community: null,
        createdAt: at,
      }
      await listener.onEvents([
        { kind: 'contact', party, at, id: null },
        { kind: 'group', group, at, id: null },
      ])
      const paths = [
        `${base}/contacts/${party.phone}/picture`,
        `${base}/contacts/${party.phone}/profile`,
        `${base}/groups/${group.groupId}/picture`,
        `${base}/groups/${group.groupId}/invite`,
        `${base}/profile`,
        `${base}/profile/picture`,
        `${base}/blocked`,
      ]
      const waiting = paths.map((path) => api.get(path))
      await allAsked.promise
      assert.equal((await api.get(`${base}/messages`)).status, 200)
      await scripted.app.jump(20_000)
      const answers = await Promise.all(waiting)
      assert.deepEqual(
        answers.map(({ status }) => status),
        paths.map(() => 503),
      )
    } finally {
      await scripted.app.close()
    }
  })
})
