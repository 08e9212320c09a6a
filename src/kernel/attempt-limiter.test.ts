import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import {
  createAttemptLimiter,
  networkOf,
  siteOf,
  type Attempt,
  type RejectedAttempt,
} from './attempt-limiter.ts'

const started = (result: Attempt | RejectedAttempt): Attempt => {
  assert.ok('fail' in result)
  return result
}

describe('createAttemptLimiter', () => {
  const limits = [{ subject: 'a', max: 2 }]

  it('the attempt limiter rejects attempts after too many failures, returns the remaining seconds, and resets when the window ends', () => {
    const clock = createManualClock()
    const limiter = createAttemptLimiter({ clock, windowMs: 10_000 })
    started(limiter.start(limits)).fail()
    started(limiter.start(limits)).succeed()
    clock.jump(4000)
    started(limiter.start(limits)).fail()
    assert.deepEqual(limiter.start(limits), { retryAfter: 6, whenOneEnds: null })
    clock.jump(6000)
    started(limiter.start(limits)).succeed()
  })

  it('the attempt limiter counts attempts in progress, so that no more than the limit run concurrently', async () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const first = started(limiter.start(limits))
    started(limiter.start(limits))
    const third = limiter.start(limits)
    assert.ok('retryAfter' in third && third.whenOneEnds !== null)
    const oneEnds = third.whenOneEnds()
    first.succeed()
    await oneEnds
    started(limiter.start(limits))
  })

  it('the attempt limiter does not count an attempt against any subject when one of its subjects exceeds its limit', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const both = [{ subject: 'b', max: 1 }, ...limits]
    started(limiter.start(both)).fail()
    for (let count = 0; count < 5; count++) assert.ok('retryAfter' in limiter.start(both))
    started(limiter.start(limits)).fail()
    assert.ok('retryAfter' in limiter.start(limits))
  })

  it('the attempt limiter stores nothing for rejected attempts', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const known = { subject: 'a', max: 1 }
    started(limiter.start([known])).fail()
    for (let index = 0; index < 1000; index++) {
      assert.ok('retryAfter' in limiter.start([known, { subject: `s${index}`, max: 1 }]))
    }
    assert.equal(limiter.size(), 1)
  })

  it('the attempt limiter evicts subjects whose window has ended, even if they are never checked again', () => {
    const clock = createManualClock()
    const limiter = createAttemptLimiter({ clock, windowMs: 10_000 })
    for (let index = 0; index < 1000; index++) {
      started(limiter.start([{ subject: `s${index}`, max: 1 }])).fail()
    }
    clock.jump(10_000)
    started(limiter.start(limits)).succeed()
    assert.equal(limiter.size(), 1)
  })

  it('the attempt limiter stores at most 100,000 subjects', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    for (let index = 0; index < 100_500; index++) {
      started(limiter.start([{ subject: `s${index}`, max: 1 }])).fail()
    }
    assert.ok(limiter.size() <= 100_000)
  })

  it('the attempt limiter forgets no exhausted subject, however many others there are', () => {
    const limiter = createAttemptLimiter({ clock: createManualClock(), windowMs: 10_000 })
    const locked = { subject: 'locked', max: 3 }
    for (let count = 0; count < 3; count++) started(limiter.start([locked])).fail()
    for (let index = 0; index < 100_500; index++) {
      started(limiter.start([{ subject: `s${index}`, max: 2 }])).fail()
    }
    assert.ok(limiter.isExhausted(locked))
    assert.ok('retryAfter' in limiter.start([locked]))
  })

  it('siteOf maps all IPv6 networks of one /48 to the same site, and an IPv4 address to itself', () => {
    assert.equal(siteOf('203.0.113.7'), '203.0.113.7')
    assert.equal(siteOf('2001:db8:1:2::1'), '2001:db8:1::/48')
    assert.equal(siteOf('2001:db8:1:ffff::1'), siteOf('2001:db8:1::9'))
    assert.notEqual(siteOf('2001:db8:2::1'), siteOf('2001:db8:1::1'))
  })

  it('networkOf maps all IPv6 addresses of one /64 to the same network', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7')
    assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7')
    assert.equal(networkOf('2001:db8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
    assert.equal(networkOf('2001:0DB8:0001:0002::9'), '2001:db8:1:2::/64')
    assert.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:ffff::'))
    assert.equal(networkOf('::1'), '0:0:0:0::/64')
    assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
  })
})
