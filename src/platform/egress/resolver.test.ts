import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { startNameServer, type NameServer } from '../../../test/kit/dns.ts'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createResolver } from './resolver.ts'

const clock = createManualClock()
let server: NameServer
before(async () => {
  server = await startNameServer()
})
after(() => server.close())

const open = () => createResolver({ clock, servers: [server.address] })
const codeOf = (error: unknown) => (error as { code?: string }).code
const found = [{ address: '192.0.2.1', family: 4 }]

describe('createResolver', () => {
  it('a malformed DNS response fails only its own lookup and none of eighty concurrent ones', async () => {
    const { resolve } = open()
    server.names.set('evil.test', 'malformed')
    const innocent = Array.from({ length: 80 }, (_, index) => `innocent-${index}.test`)
    for (const name of innocent) server.names.set(name, [['192.0.2.1']])
    const evil = Promise.allSettled(
      Array.from({ length: 10 }, () => assert.rejects(resolve('evil.test', 'mallory'))),
    )
    const results = await Promise.all(innocent.map((name) => resolve(name, 'alice')))
    for (const result of results) assert.deepEqual(result, found)
    assert.ok((await evil).every(({ status }) => status === 'fulfilled'))
  })

  it('the resolver caches that a name does not exist, but no failures of name servers', async () => {
    const { resolve } = open()
    await assert.rejects(resolve('gone.test'), (error) => codeOf(error) === 'ENOTFOUND')
    server.names.set('gone.test', [['192.0.2.1']])
    await assert.rejects(resolve('gone.test'))
    clock.jump(5000)
    assert.deepEqual(await resolve('gone.test'), found)
    for (const fault of ['servfail', 'malformed'] as const) {
      const name = `${fault}.test`
      server.names.set(name, fault)
      await assert.rejects(resolve(name))
      server.names.set(name, [['192.0.2.1']])
      const next = resolve(name)
      clock.jump(250)
      assert.deepEqual(await next, found)
    }
  })

  it('a name queued behind many lookups of one tenant is resolved immediately for other tenants', async () => {
    const { resolve } = open()
    for (let index = 0; index < 60; index++) {
      server.names.set(`stuck-${index}.test`, 'silence')
      void resolve(`stuck-${index}.test`, 'mallory').catch(() => null)
    }
    server.names.set('shared.test', [['192.0.2.1']])
    void resolve('shared.test', 'mallory').catch(() => null)
    assert.deepEqual(await resolve('shared.test', 'alice'), found)
  })

  it('a name that keeps failing is looked up with increasing backoff, by one lookup shared by all waiting requests', async () => {
    const { resolve } = open()
    server.names.set('flood.test', 'servfail')
    const asked = () => server.queries.filter((query) => query === 'A flood.test').length
    await assert.rejects(resolve('flood.test'))
    for (const [pauseMs, queries] of [
      [250, 4],
      [500, 6],
      [1000, 8],
      [2000, 10],
      [2000, 12],
    ] as const) {
      const waiting = Promise.allSettled(Array.from({ length: 50 }, () => resolve('flood.test')))
      clock.jump(pauseMs - 1)
      // Another name is resolved without a pause, and gives a wrong early lookup the time to be seen.
      await assert.rejects(resolve(`other-${pauseMs}-${queries}.test`))
      assert.equal(asked(), queries - 2)
      clock.jump(1)
      const results = await waiting
      assert.ok(results.every(({ status }) => status === 'rejected'))
      assert.equal(asked(), queries)
    }
    server.names.set('flood.test', [['192.0.2.1']])
    const healed = resolve('flood.test')
    clock.jump(2000)
    assert.deepEqual(await healed, found)
    assert.deepEqual(await resolve('flood.test'), found)
  })

  it('the resolver retries a transient failure once, on a new channel', async () => {
    const { resolve } = open()
    server.names.set('once.test', 'servfail')
    const asked = () => server.queries.filter((query) => query === 'A once.test').length
    await assert.rejects(resolve('once.test'))
    assert.equal(asked(), 2)
  })

  it('the resolver reports unreachable name servers as EGRESS_DNS', async () => {
    const closed = await startNameServer()
    closed.close()
    const { resolve } = createResolver({ clock, servers: [closed.address] })
    // Again without a pause, which the clock of this test would never end: the name is not at fault.
    for (let count = 0; count < 2; count++)
      await assert.rejects(resolve('anything.test'), (error) => codeOf(error) === 'EGRESS_DNS')
  })

  it('the resolver limits concurrent lookups per tenant without delaying other tenants', async () => {
    const { resolve } = open()
    const silent = Array.from({ length: 60 }, (_, index) => `silent-${index}.test`)
    for (const name of silent) server.names.set(name, 'silence')
    server.names.set('alive.test', [['192.0.2.1']])
    const hanging = silent.map((name) => resolve(name, 'mallory').catch(() => null))
    assert.deepEqual(await resolve('alive.test', 'alice'), found)
    const names = new Set(
      server.queries.flatMap((query) => /silent-\d+\.test/.exec(query)?.[0] ?? []),
    )
    assert.ok(names.size <= 16, `${names.size} names`)
    assert.equal(hanging.length, 60)
  })
})
