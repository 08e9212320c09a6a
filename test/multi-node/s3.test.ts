// Files in S3, shared by nodes that have no folder in common.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import S3rver from 's3rver'
import { image } from '../kit/files.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

const DAY = 24 * 3600_000
const BUCKET = 'recado'
const dir = mkdtempSync(join(tmpdir(), 'recado-s3-'))
const s3 = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: dir,
  configureBuckets: [{ name: BUCKET, configs: [] }],
})

let kit: TestApp
let port: number
before(async () => {
  const endpoint = await s3.run()
  kit = await startTestApp({
    MEDIA_STORE: 's3',
    S3_ENDPOINT: `http://127.0.0.1:${endpoint.port}`,
    S3_BUCKET: BUCKET,
    S3_ACCESS_KEY: 'S3RVER',
    S3_SECRET_KEY: 'S3RVER',
  })
  // It holds no sessions, so that everything it accepts crosses to the other node.
  const other = await kit.node({ ownMedia: true, idle: true })
  port = await other.listen()
})
after(async () => {
  await kit.close()
  await s3.close()
  rmSync(dir, { recursive: true })
})

/** How many files the bucket has for a Project. */
const stored = (projectId: string) =>
  readdirSync(join(dir, BUCKET), { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.includes(projectId) && path.endsWith('._S3rver_object'),
  ).length

describe('files in S3', () => {
  it('a file that one node accepts is sent by the session of another, and every node serves what was sent and received', async () => {
    const api = await kit.key(await kit.project())
    const elsewhere = kit.client('test', api.key, port)
    const { base, phone } = await kit.pair(api)
    const ana = await kit.phone(api)
    const photo = await image('png')
    const body = { to: ana.phone, type: 'image', media: { base64: photo.toString('base64') } }
    const { status, body: sent } = await elsewhere.post(`${base}/messages/media`, body)
    assert.equal(status, 201)
    await kit.jump(2000)
    const [shown] = (await api.get(`${ana.base}/inbox`)).body.items
    assert.equal(shown.type, 'image')

    const reply = {
      to: phone,
      type: 'image',
      media: { base64: photo.toString('base64') },
    }
    assert.equal((await elsewhere.post(`${ana.base}/messages`, reply)).status, 201)
    await kit.jump(2000)
    const { items } = (await api.get(`${base}/messages?direction=inbound`)).body
    const bytes = async (messageId: string) =>
      Promise.all(
        [api, elsewhere].map(async (client) => {
          const answer = await client.download(`${base}/messages/${messageId}/media`)
          assert.equal(answer.status, 200)
          return answer.bytes
        }),
      )
    for (const messageId of [sent.id, items[0].id]) {
      const [here, there] = await bytes(messageId)
      assert.ok(here && there && here.length > 0)
      assert.deepEqual(here, there)
    }
  })

  it('files that expire leave the bucket, whichever node removes them', async () => {
    const project = await kit.project()
    const api = await kit.key(project)
    const { base } = await kit.pair(api)
    const ana = await kit.phone(api)
    const photo = (await image('png')).toString('base64')
    const elsewhere = kit.client('test', api.key, port)
    for (const client of [api, elsewhere, api, elsewhere]) {
      const sent = await client.post(`${base}/messages/media`, {
        to: ana.phone,
        type: 'image',
        media: { base64: photo },
      })
      assert.equal(sent.status, 201)
    }
    await kit.settle()
    assert.equal(stored(project.projectId), 4)
    for (let day = 0; day < 100; day += 10) await kit.jump(10 * DAY)
    assert.equal(stored(project.projectId), 0)
  })
})
