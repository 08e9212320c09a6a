// Request bodies crafted to block the event loop or exhaust memory.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { request } from 'undici'
import { createByteBudget, BudgetExhausted } from '../../src/kernel/byte-budget.ts'
import { scanStructure, LONG_LISTS, USUAL } from '../../src/platform/http/json-structure.ts'
import { parseJsonBody } from '../../src/platform/http/json-body.ts'
import type { Client } from '../kit/client.ts'
import { createManualClock } from '../kit/manual-clock.ts'
import { HOSTS, startTestApp, type Paired, type TestApp } from '../kit/test-app.ts'

const MIB = 1024 * 1024
/** The time that the largest body takes of the pace of a Project, which allows 4 MiB a second. */
const PACE_MS = 4000
let kit: TestApp
let api: Client & { key: string }
let instance: Paired
before(async () => {
  kit = await startTestApp()
  api = await kit.key(await kit.project())
  instance = await kit.pair(api)
})
after(() => kit.close())

const post = (path: string, body: string | Buffer, client: Client = api) =>
  client.call('POST', path, { body, headers: { 'content-type': 'application/json' } })

const nested = (depth: number, inside = 'null') =>
  `${'['.repeat(depth)}${inside}${']'.repeat(depth)}`

describe('JSON bodies', () => {
  it('a JSON body nested more than 64 levels deep is rejected with 400 on every route', async () => {
    for (const path of ['/v1/webhooks', `${instance.base}/messages`, '/v1/auth/login']) {
      for (const body of [nested(65), nested(3000), `{"a":${nested(7000)}}`, '['.repeat(15_000)]) {
        const answer = await post(path, body)
        assert.equal(answer.status, 400, path)
        assert.equal(answer.body.error.message, 'JSON aninhado demais: use até 64 níveis')
      }
    }
    assert.equal((await post('/v1/webhooks', nested(64))).status, 400)
  })

  it('a JSON body of 16 MiB of brackets or numbers is rejected before it is parsed', async () => {
    const hostile = {
      too_deep: Buffer.alloc(16 * MIB, '['),
      too_large: Buffer.from(`[${'[],'.repeat(5 * MIB)}0]`),
    }
    for (const [fault, body] of Object.entries(hostile)) {
      assert.equal(scanStructure(body, LONG_LISTS).fault, fault)
      kit.clock.jump(PACE_MS)
      const answer = await post(`${instance.base}/messages`, body.subarray(0, 16 * MIB))
      assert.equal(answer.status, 400)
    }
    const numbers = Buffer.from(`[${'1,'.repeat(600_000)}1]`)
    assert.equal(scanStructure(numbers, LONG_LISTS).fault, 'too_large')
  })

  it('the JSON structure scan ignores brackets and quotes inside strings', () => {
    const strings = ['[[[', '\\"[[[', '\\\\', '"', ']]]', '{"a":', '\\u0022[']
    const body = JSON.stringify(strings.map((text) => ({ text, list: Array(70).fill(text) })))
    assert.equal(scanStructure(Buffer.from(body), USUAL).fault, null)
    assert.equal(scanStructure(Buffer.from('["[[['), USUAL).fault, null)
    assert.equal(
      scanStructure(Buffer.from(`{"${'\\\\'.repeat(9)}":${nested(64)}}`), USUAL).fault,
      'too_deep',
    )
  })

  it('a JSON body with more values, objects or distinct keys than a request needs is rejected before it is parsed', async () => {
    const keys = (count: number, each: string) =>
      `{${Array.from({ length: count }, (_, n) => `"${each}${n}":1`).join(',')}}`
    const bodies = {
      values: `[${'1,'.repeat(20_001)}1]`,
      objects: `[${'{},'.repeat(10_001)}{}]`,
      keys: keys(1001, 'k'),
      'long keys': keys(1001, 'k'.repeat(300)),
      'keys of many objects': `[${Array.from({ length: 1001 }, (_, n) => `{"k${n}":1}`).join(',')}]`,
    }
    for (const [what, body] of Object.entries(bodies)) {
      const answer = await post('/v1/webhooks', body)
      assert.equal(answer.status, 400, what)
      assert.equal(answer.body.error.message, 'JSON com valores demais', what)
    }
    assert.equal(scanStructure(Buffer.from(keys(1000, 'k')), USUAL).fault, null)
  })

  it('a list of ten thousand recipients with fifty variables each is accepted', async () => {
    const own = await kit.key(await kit.project())
    const { id } = await kit.pair(own)
    const variables = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`v${n}`, 'x']))
    const recipients = Array.from({ length: 10_000 }, (_, n) => ({
      to: `55119${String(70_000_000 + n)}`,
      variables,
      clientReference: null,
    }))
    const body = {
      name: 'N',
      instanceIds: [id],
      message: { type: 'text', text: 'Oi {{v1}}' },
    }
    const answer = await own.post('/v1/campaigns', { ...body, recipients })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    assert.equal(answer.body.counts.total, 10_000)
  })

  it('null removes a field of an object at any depth, and stays in an array', async () => {
    const body = '{"a":null,"b":[null,{"c":null,"d":1}],"e":{"f":{"g":null}}}'
    assert.deepEqual(await parseJsonBody(Buffer.from(body)), { b: [null, { d: 1 }], e: { f: {} } })
  })

  it('body limits depend on the route: large with files, 1 MiB otherwise and 16 KiB without authentication', async () => {
    const large = (bytes: number) => JSON.stringify({ name: 'x'.repeat(bytes) })
    const cases: [string, number, number][] = [
      ['/v1/webhooks', MIB + 1, 413],
      ['/v1/instances', MIB + 1, 413],
      [`${instance.base}/messages/text`, MIB + 1, 413],
      [`${instance.base}/messages/media`, 2 * MIB, 400],
      ['/v1/auth/login', 16 * 1024 + 1, 413],
      ['/panel/api/signup', 16 * 1024 + 1, 413],
      ['/panel/api/forgot-password', 16 * 1024 + 1, 413],
    ]
    for (const [path, bytes, status] of cases) {
      const answer = await post(path, large(bytes))
      assert.equal(answer.status, status, path)
    }
    const login = await post('/v1/auth/login', large(17 * 1024))
    assert.equal(login.body.error.message, 'corpo maior que o limite de 16 KiB')
  })

  it('thirty concurrent bodies of more than a megabyte are all accepted', async () => {
    const media = { base64: Buffer.alloc(MIB, 7).toString('base64'), fileName: 'a.bin' }
    const body = JSON.stringify({ to: '5511988887777', type: 'document', media })
    const other = await kit.key(await kit.project())
    const { base } = await kit.pair(other)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => post(`${base}/messages`, body, other)),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      answers.map(() => 201),
    )
    assert.deepEqual(readdirSync(join(kit.config.dataDir, 'spool')), [])
  })

  it('body limits apply to every spelling of the JSON content type', async () => {
    const other = await kit.key(await kit.project())
    const { base } = await kit.pair(other)
    const body = JSON.stringify({ to: 1, text: 'x'.repeat(15 * MIB) })
    const send = (type: string) =>
      other.call('POST', `${base}/messages`, { body, headers: { 'content-type': type } })
    assert.equal((await send('APPLICATION/JSON')).status, 400)
    kit.clock.jump(PACE_MS)
    assert.equal((await send('Application/json; charset=utf-8')).status, 400)
    // The next body comes sooner than the pace of its Project allows, and has to wait.
    let answered = false
    const third = send('application/JSON').then(({ status }) => {
      answered = true
      return status
    })
    await other.get('/v1/instances')
    assert.equal(answered, false)
    kit.clock.jump(PACE_MS)
    assert.equal(await third, 400)
  })

  it('a body without a declared length is rejected once it exceeds the limit', async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(64 * 1024, ' ')
    }
    const { statusCode } = await request(`http://127.0.0.1:${kit.port}${instance.base}/messages`, {
      method: 'POST',
      headers: {
        host: HOSTS.test,
        authorization: `Bearer ${api.key}`,
        'content-type': 'application/json',
      },
      body: Readable.from(endless()),
    })
    assert.equal(statusCode, 413)
  })

  it('two hundred rejected bodies do not increase memory usage', async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const collect = () => {
      gc()
      gc()
      return process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers
    }
    const refuse = async (count: number) => {
      for (let index = 0; index < count; index++) {
        const body = JSON.stringify({ to: 1, text: `${index}`.padEnd(512 * 1024, 'x') })
        assert.equal((await post(`${instance.base}/messages`, body)).status, 400)
      }
    }
    await refuse(20)
    const before = collect()
    await refuse(200)
    const grown = collect() - before
    assert.ok(grown < 8 * MIB, `${Math.round(grown / MIB)} MiB`)
  })
})

describe('byte budget of large bodies', () => {
  const options = { total: 100, perKey: 60, timeoutMs: 1000, maxWaiting: 2 }

  it('the byte budget limits each key to its share and leaves the rest to others', async () => {
    const budget = createByteBudget({ clock: createManualClock(), ...options })
    const first = await budget.acquire('a', 60)
    let second = false
    const waiting = budget.acquire('a', 10).then((release) => {
      second = true
      return release
    })
    const other = await budget.acquire('b', 40)
    assert.equal(second, false)
    first()
    const release = await waiting
    other()
    release()
    release()
    assert.equal(budget.held(), 0)
  })

  it('the byte budget rejects requests that time out, can never fit or exceed its queue', async () => {
    const clock = createManualClock()
    const budget = createByteBudget({ clock, ...options })
    await assert.rejects(budget.acquire('a', 61), BudgetExhausted)
    const release = await budget.acquire('a', 60)
    const waiting = [budget.acquire('a', 1), budget.acquire('a', 1)]
    await assert.rejects(budget.acquire('a', 1), BudgetExhausted)
    clock.jump(1000)
    for (const one of waiting) await assert.rejects(one, BudgetExhausted)
    release()
    assert.equal(budget.held(), 0)
  })
})

describe('test inboxes', () => {
  it('a test inbox accepts 64 KiB per request and stores at most one MiB', async () => {
    const { body: box } = await api.post('/v1/simulator/inboxes', { name: 'c' })
    const path = new URL(box.url).pathname
    const anonymous = kit.client('test')
    assert.equal((await post(path, Buffer.alloc(64 * 1024 + 1, 'x'), anonymous)).status, 413)
    for (let count = 0; count < 30; count++) {
      assert.equal((await post(path, Buffer.alloc(64 * 1024, 'x'), anonymous)).status, 200)
    }
    const { body, text } = await api.get(`/v1/simulator/inboxes/${box.id}/requests`)
    assert.ok(body.items.length >= 14 && body.items.length <= 16, `${body.items.length}`)
    assert.ok(text.length < 1.2 * MIB)
    const page = await api.get(`/v1/simulator/inboxes/${box.id}/requests?limit=2&offset=1`)
    assert.equal(page.body.items.length, 2)
  })

  it('requests to other or unknown inboxes do not slow down a test inbox, and an overloaded inbox returns 429', async () => {
    const anybody = kit.client('test')
    const body = Buffer.alloc(64 * 1024, 'x')
    for (let count = 0; count < 300; count++) {
      assert.equal((await post('/caixa/box_00000000000000000000000000', body, anybody)).status, 404)
    }
    const crowded = await kit.key(await kit.project())
    const calm = await kit.key(await kit.project())
    const make = async (client: Client) => {
      const { body: box } = await client.post('/v1/simulator/inboxes', { name: 'c' })
      return new URL(box.url).pathname
    }
    const [first, second] = [await make(crowded), await make(crowded)]
    for (let count = 0; count < 60; count++) {
      assert.equal((await post(count % 2 ? first : second, body, anybody)).status, 200)
    }
    assert.equal((await post(await make(calm), body, anybody)).status, 200)
    const waiting = Array.from({ length: 60 }, () => post(first, body, anybody))
    const refused = await Promise.race(waiting.slice(-1))
    assert.equal(refused?.status, 429)
    kit.clock.jump(10_000)
    await Promise.all(waiting)
  })
})
