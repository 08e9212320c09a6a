// Replay and conflict rules of Idempotency-Key.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { GroupState } from '../../src/networks/network-events.port.ts'
import { IDLE_LIMITS_MS } from '../../src/platform/db/idle-limits.ts'
import {
  createIdempotencyService,
  type IdempotencyService,
} from '../../src/platform/idempotency/idempotency.service.ts'
import { startScripted } from '../kit/scripted-network.ts'
import { startTestApp, type TestApp } from '../kit/test-app.ts'

/** Longer than an ordinary transaction may be idle, in real time: PostgreSQL measures it. */
const IDLE_MS = IDLE_LIMITS_MS.ordinary + 1000

let kit: TestApp
before(async () => {
  kit = await startTestApp()
})
after(() => kit.close())

const ready = async () => {
  const project = await kit.project({ credits: 10 })
  const api = await kit.key(project, 'production')
  const { base } = await kit.pair(api)
  const body = { to: '5511988887777', text: 'x' }
  const send = (key: string, change = {}, path = '/messages') =>
    api.post(base + path, { ...body, ...change }, { 'idempotency-key': key })
  return { project, api, base, send }
}
const credits = (projectId: string) => kit.operator.billing.credits(kit.db, projectId)

describe('Idempotency-Key', () => {
  it('a repeated Idempotency-Key replays the first 2xx response for 24 hours without another message or credit', async () => {
    const { project, send } = await ready()
    const first = await send('a')
    assert.equal(first.status, 201)
    assert.equal(first.headers['idempotent-replayed'], undefined)
    await kit.jump(24 * 3600_000 - 60_000)
    const again = await send('a')
    assert.equal(again.status, 201)
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    assert.equal(await credits(project.projectId), 9)
    await kit.jump(60_001)
    const later = await send('a')
    assert.notEqual(later.body.id, first.body.id)
  })

  it('an Idempotency-Key matches a body with the same fields in another order', async () => {
    const { api, base } = await ready()
    const headers = { 'idempotency-key': 'ordem', 'content-type': 'application/json' }
    const post = (body: string) => api.call('POST', `${base}/messages`, { body, headers })
    const first = await post('{"to":"5511988887777","text":"x"}')
    const again = await post('{ "text":"x", "to":"5511988887777" }')
    assert.equal(again.body.id, first.body.id)
  })

  it('an Idempotency-Key reused with another body or path returns 409', async () => {
    const { send } = await ready()
    await send('b')
    for (const other of [await send('b', { text: 'y' }), await send('b', {}, '/messages/text')]) {
      assert.equal(other.status, 409)
      assert.equal(other.body.error.reason, 'IDEMPOTENCY_MISMATCH')
    }
  })

  it('an Idempotency-Key tells apart two large files that differ in one byte', async () => {
    const { send } = await ready()
    const file = Buffer.alloc(1024 * 1024, 7)
    const withFile = (key: string) => {
      const media = { base64: file.toString('base64'), mimeType: 'application/octet-stream' }
      return send(key, { type: 'document', text: undefined, media })
    }
    const first = await withFile('arquivo')
    assert.equal(first.status, 201, JSON.stringify(first.body))
    const again = await withFile('arquivo')
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    file[file.length - 1] = 8
    assert.equal((await withFile('arquivo')).status, 409)
  })

  it('concurrent requests with the same Idempotency-Key create one message', async () => {
    const { project, send } = await ready()
    const answers = await Promise.all(Array.from({ length: 16 }, () => send('c')))
    assert.equal(new Set(answers.map((answer) => answer.body.id)).size, 1)
    assert.equal(answers.filter((answer) => answer.headers['idempotent-replayed']).length, 15)
    assert.equal(await credits(project.projectId), 9)
  })

  it('an error response is not stored, so the same Idempotency-Key can be retried', async () => {
    const { send } = await ready()
    assert.equal((await send('d', { to: 'x' })).status, 400)
    assert.equal((await send('d')).status, 201)
  })

  it('an Idempotency-Key is scoped to its Project', async () => {
    const [one, other] = [await ready(), await ready()]
    const [first, second] = [await one.send('e'), await other.send('e')]
    assert.equal(second.status, 201)
    assert.notEqual(first.body.id, second.body.id)
  })

  it('an Idempotency-Key also works on POST routes other than messages', async () => {
    const { api } = await ready()
    const headers = { 'idempotency-key': 'f' }
    const make = () => api.post('/v1/instances', { name: 'x' }, headers)
    assert.equal((await make()).body.id, (await make()).body.id)
  })

  it('a hundred concurrent requests with different Idempotency-Keys complete without a connection pool deadlock', async () => {
    const { api } = await ready()
    const make = (index: number) =>
      api.post('/v1/simulator/phones', { name: 'x' }, { 'idempotency-key': `muitas-${index}` })
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => make(index)))
    // The Project is limited to 100 phones, and pairing has already created one.
    assert.ok(answers.every(({ status }) => status === 201 || status === 400))
    assert.ok(answers.filter(({ status }) => status === 201).length >= 98)
  })

  it('an Idempotency-Key is ignored on routes whose response contains a secret', async () => {
    const { api, base } = await ready()
    const headers = { 'idempotency-key': 'g' }
    const webhook = () => api.post('/v1/webhooks', { name: 'w', url: 'https://x.com' }, headers)
    assert.notEqual((await webhook()).body.id, (await webhook()).body.id)
    const token = () => api.post(`${base}/qr-token`, undefined, headers)
    assert.notEqual((await token()).body.token, (await token()).body.token)
  })

  it('an Idempotency-Key longer than 255 characters is rejected with 400', async () => {
    const { send } = await ready()
    assert.equal((await send('x'.repeat(256))).status, 400)
    assert.equal((await send('x'.repeat(255))).status, 201)
  })
})

describe('the work under an Idempotency-Key', () => {
  it('work under an Idempotency-Key may wait for its network longer than other transactions may be idle', async () => {
    const group: GroupState = {
      groupId: '120363000000000009@g.us',
      subject: 'Obras',
      description: null,
      owner: null,
      participants: [],
      settings: null,
      community: null,
      createdAt: 0,
    }
    const scripted = await startScripted(
      {},
      {
        async createGroup() {
          await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
          return group
        },
      },
    )
    try {
      const { api, base } = await scripted.connect()
      const body = { subject: 'Obras', participants: ['5511988887777'] }
      const headers = { 'idempotency-key': 'grupo' }
      const made = await api.post(`${base}/groups`, body, headers)
      assert.equal(made.status, 201, made.text)
      const again = await api.post(`${base}/groups`, body, headers)
      assert.equal(again.headers['idempotent-replayed'], 'true')
    } finally {
      await scripted.app.close()
    }
  })

  it('a request that asks a network does so once for its key, whichever node repeats it, until it is known to be lost', async () => {
    const [one, other] = [0, 1].map(() =>
      createIdempotencyService({ db: kit.db, clock: kit.clock }),
    ) as [IdempotencyService, IdempotencyService]
    const { projectId } = await kit.project()
    const scope = { projectId, mode: 'test' as const, keyId: null }
    const print = Buffer.from('x')
    const network = Promise.withResolvers<void>()
    let asked = 0
    const ask = async () => {
      asked++
      await network.promise
      return { status: 201, body: '{}' }
    }
    const whileTimePasses = async <T>(work: Promise<T>): Promise<T> => {
      const ticking = setInterval(() => kit.clock.jump(1000), 5)
      return work.finally(() => clearInterval(ticking))
    }
    const first = one.once(scope, 'grupo', print, ask, 'network')
    while (asked === 0) await new Promise((resolve) => setImmediate(resolve))
    // The second node waits, and gives up after 30 seconds.
    await assert.rejects(whileTimePasses(other.once(scope, 'grupo', print, ask, 'network')), {
      kind: 'conflict',
    })
    const waiting = other.once(scope, 'grupo', print, ask, 'network')
    network.resolve()
    assert.equal((await first).replayed, false)
    assert.equal((await whileTimePasses(waiting)).replayed, true)
    assert.equal(asked, 1)
    // A request whose work fails leaves its key free.
    const failing = async (): Promise<never> => {
      throw new Error('the network refused')
    }
    await assert.rejects(one.once(scope, 'outro', print, failing, 'network'))
    assert.equal((await one.once(scope, 'outro', print, ask, 'network')).replayed, false)
    // As a crash leaves it: leased, and without a response.
    const until = new Date(kit.clock.now() + 60_000)
    await kit.db.system`
      update idempotency set status = null, body = null, claimed_until = ${until}
      where project_id = ${projectId} and key = 'outro'`
    await assert.rejects(whileTimePasses(one.once(scope, 'outro', print, ask, 'network')), {
      kind: 'conflict',
    })
    await kit.jump(60_000)
    assert.equal((await one.once(scope, 'outro', print, ask, 'network')).replayed, false)
    assert.equal(asked, 3)
  })
})
