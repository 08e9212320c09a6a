import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createAttemptLimiter, networkOf, type Attempt } from './attempt-limiter.ts'
import { createFairGate, GateFull } from './fair-gate.ts'

const started = (result: Attempt | { retryAfter: number }): Attempt => {
  assert.ok('fail' in result)
  return result
}

describe('the attempt limiter', () => {
  const limits = [{ subject: 'a', max: 2 }]

  it('refuses after too many failures, says how long, and forgets them with the window', () => {
    const clock = createManualClock()
    const limiter = createAttemptLimiter({ clock, windowMs: 10_000 })
    started(limiter.start(limits)).fail()
    started(limiter.start(limits)).succeed()
    clock.jump(4000)
    started(limiter.start(limits)).fail()
    assert.deepEqual(limiter.start(limits), { retryAfter: 6 })
    clock.jump(6000)
    started(limiter.start(limits)).succeed()
  })

  it('counts attempts under way, so that no more than the limit run at once', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const first = started(limiter.start(limits))
    started(limiter.start(limits))
    assert.ok('retryAfter' in limiter.start(limits))
    first.succeed()
    started(limiter.start(limits))
  })

  it('counts nothing for a subject when another one of the same attempt is refused', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const both = [{ subject: 'b', max: 1 }, ...limits]
    started(limiter.start(both)).fail()
    for (let count = 0; count < 5; count++) assert.ok('retryAfter' in limiter.start(both))
    started(limiter.start(limits)).fail()
    assert.ok('retryAfter' in limiter.start(limits))
  })

  it('holds a bounded number of subjects', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    for (let index = 0; index < 100_500; index++) {
      started(limiter.start([{ subject: `s${index}`, max: 1 }])).fail()
    }
    assert.ok(limiter.size() <= 100_000)
  })

  it('takes the addresses of one customer for one', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
    assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7')
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
    assert.equal(networkOf('2001:0DB8:0001:0002::9'), '2001:db8:1:2::/64')
    assert.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:ffff::'))
    assert.equal(networkOf('::1'), '0:0:0:0::/64')
    assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  })
})

describe('the fair gate', () => {
  it('serves waiting keys in turn, however much work one of them has', async () => {
    const gate = createFairGate({ max: 1, maxWaiting: 100 })
    const served: string[] = []
    const work = (key: string) => gate(key, async () => void served.push(key))
    await Promise.all([...Array.from({ length: 5 }, () => work('many')), work('one'), work('two')])
    assert.deepEqual(served, ['many', 'many', 'one', 'two', 'many', 'many', 'many'])
  })

  it('runs as much at once as it may, also after work that fails', async () => {
    const gate = createFairGate({ max: 2, maxWaiting: 100 })
    let running = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setImmediate(resolve))
      running--
      throw new Error('fails')
    }
    const all = Array.from({ length: 6 }, (_, index) => gate(`${index}`, work))
    await Promise.allSettled(all)
    assert.equal(most, 2)
    assert.equal(await gate('x', async () => 'runs'), 'runs')
  })

  it('refuses what exceeds its queue', async () => {
    const gate = createFairGate({ max: 1, maxWaiting: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = gate('a', () => promise)
    const second = gate('a', async () => {})
    await assert.rejects(
      gate('b', async () => {}),
      GateFull,
    )
    resolve()
    await Promise.all([first, second])
  })
})
