// The disk store and the S3 store must behave the same.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import S3rver from 's3rver'
import { createSystemClock } from '../kernel/clock.ts'
import type { Config } from '../kernel/config/config.ts'
import { stagingDir } from './create-store.ts'
import { createDiskStore } from './disk-store.ts'
import { createS3Store } from './s3-store.ts'
import { MissingBytes, type MediaStore } from './store.port.ts'
import { Failure } from '../kernel/phrases/fail.ts'

const dir = mkdtempSync('/tmp/recado-store-')
const clock = createSystemClock()
const keys = { accessKey: 'S3RVER', secretKey: 'S3RVER' }
const server = new S3rver({
  port: 0,
  address: '127.0.0.1',
  silent: true,
  directory: join(dir, 's3'),
  configureBuckets: [{ name: 'recado', configs: [] }],
})
let stores: Record<string, MediaStore>
before(async () => {
  const { port } = await server.run()
  const endpoint = `http://127.0.0.1:${port}`
  stores = {
    disk: createDiskStore(join(dir, 'disk')),
    s3: createS3Store({ endpoint, bucket: 'recado', region: 'us-east-1', ...keys }, clock),
  }
})
after(async () => {
  for (const store of Object.values(stores)) store.close()
  await server.close()
  rmSync(dir, { recursive: true })
})

it('a node that starts leaves the files alone that another one with the same file store is receiving', () => {
  const shared = join(dir, 'shared')
  mkdirSync(shared)
  const nodes = ['a', 'b'].map((name) => {
    const dataDir = join(dir, name)
    mkdirSync(dataDir)
    symlinkSync(shared, join(dataDir, 'media'))
    return { dataDir, media: { s3: null } } as unknown as Config
  })
  const [first, second] = nodes
  assert.ok(first && second)
  const arriving = join(stagingDir(first, null), 'upload')
  writeFileSync(arriving, 'x')
  const other = stagingDir(second, null)
  assert.ok(existsSync(arriving))
  assert.notEqual(other, stagingDir(first, null))
  assert.equal(existsSync(arriving), false, 'its own next start removes what it left')
})

for (const name of ['disk', 's3']) {
  describe(`the store ${name}`, () => {
    const store = () => stores[name] as MediaStore
    const put = async (key: string, content: string) => {
      const path = join(dir, 'incoming')
      writeFileSync(path, content)
      await store().put(key, path, { sizeBytes: content.length, mimeType: 'text/plain' })
    }
    const missing = (error: unknown) => error instanceof MissingBytes

    it('a media store returns stored bytes, whole and by range', async () => {
      await put('prj_1/test/med_1', '0123456789')
      assert.equal(await text(await store().open('prj_1/test/med_1')), '0123456789')
      const range = { start: 2, end: 4 }
      assert.equal(await text(await store().open('prj_1/test/med_1', range)), '234')
    })

    it('a media store overwrites the bytes of an existing key', async () => {
      await put('prj_1/test/med_2', 'a')
      await put('prj_1/test/med_2', 'b')
      assert.equal(await text(await store().open('prj_1/test/med_2')), 'b')
    })

    it('a media store throws MissingBytes for missing keys, and removes a key twice without error', async () => {
      await assert.rejects(store().open('prj_1/test/nope'), missing)
      await put('prj_1/test/med_3', 'x')
      await store().remove(['prj_1/test/med_3', 'prj_1/test/nope'])
      await store().remove(['prj_1/test/med_3'])
      await assert.rejects(store().open('prj_1/test/med_3'), missing)
    })
  })
}

describe('the store s3', () => {
  it('the S3 store reports the objects that a 200 response did not remove', async () => {
    const answer = `<?xml version="1.0"?><DeleteResult><Error><Key>prj_1/locked</Key>
      <Code>AccessDenied</Code><Message>Object is locked</Message></Error></DeleteResult>`
    const host = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/xml' }).end(answer)
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    const store = createS3Store({ endpoint, bucket: 'recado', region: 'us-east-1', ...keys }, clock)
    const failures = await store.remove(['prj_1/free', 'prj_1/locked'])
    assert.deepEqual(failures, [{ key: 'prj_1/locked', reason: 'AccessDenied: Object is locked' }])
    store.close()
    host.close()
  })

  it('the S3 store repeats an upload, whatever type the sender chose, and reports a bucket that is away as such', async () => {
    const types: (string | undefined)[] = []
    const host = createServer((request, response) => {
      request.resume()
      request.on('end', () => {
        types.push(request.headers['content-type'])
        const isBusy = types.length < 3
        response.writeHead(isBusy ? 503 : 200, { 'content-type': 'application/xml' })
        response.end(isBusy ? '<Error><Code>SlowDown</Code></Error>' : '')
      })
    })
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
    const endpoint = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    const bucket = { endpoint, bucket: 'recado', region: 'us-east-1', ...keys }
    const store = createS3Store(bucket, clock)
    const path = join(dir, 'repeated')
    writeFileSync(path, 'x')
    await store.put('a', path, { sizeBytes: 1, mimeType: 'audio/ogg\n\u0100' })
    assert.deepEqual(types, ['audio/ogg', 'audio/ogg', 'audio/ogg'])
    host.closeAllConnections()
    host.close()
    const isAway = (error: unknown) => error instanceof Failure && error.kind === 'unavailable'
    await assert.rejects(store.open('a'), isAway)
    await assert.rejects(store.put('a', path, { sizeBytes: 1, mimeType: '' }), isAway)
    store.close()
  })

  it(
    'a request to a bucket that never completes its response fails at its deadline',
    { timeout: 10_000 },
    async () => {
      const open = new Set<ServerResponse>()
      // An answer that begins and never ends would also keep a transfer from ever being idle.
      const drip = setInterval(() => {
        for (const response of open) response.write(' ')
      }, 20)
      const host = createServer((request, response) => {
        request.resume()
        if (request.method === 'GET') return
        response.writeHead(200, { 'content-type': 'application/xml' })
        open.add(response)
      })
      await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve))
      const endpoint = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
      const timeouts = { uploadMs: 200, responseMs: 200 }
      const bucket = { endpoint, bucket: 'recado', region: 'us-east-1', ...keys }
      const store = createS3Store(bucket, clock, timeouts)
      const path = join(dir, 'one')
      writeFileSync(path, 'x')
      await assert.rejects(store.put('a', path, { sizeBytes: 1, mimeType: 'text/plain' }))
      await assert.rejects(store.open('a'))
      const failures = await store.remove(['a', 'b'])
      assert.deepEqual(
        failures.map(({ key }) => key),
        ['a', 'b'],
      )
      clearInterval(drip)
      store.close()
      host.closeAllConnections()
      host.close()
    },
  )
})
