import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFollowingClock } from './clock.ts'

const START = Date.parse('2026-11-20T15:00:00.000Z')
const HOUR = 3600_000

/** A machine whose time passes by hand. */
function createMachine() {
  let ran = 0
  let slept = 0
  const source = { monotonic: () => ran, uptime: () => 500_000 + ran + slept, wall: () => START }
  return {
    clock: createFollowingClock(source),
    pass: (ms: number) => void (ran += ms),
    sleep: (ms: number) => void (slept += ms),
  }
}

describe('the clock that follows the database', () => {
  it('takes its time at once when it starts, and small differences after', () => {
    const { clock, pass } = createMachine()
    clock.follow(START + 5000)
    assert.equal(clock.now(), START + 5000)
    pass(1000)
    clock.follow(START + 6300)
    assert.equal(clock.now(), START + 6300)
  })

  it('starts no earlier than the latest time that was noted, but ignores one that cannot be', () => {
    const { clock } = createMachine()
    clock.follow(START - HOUR, START)
    assert.equal(clock.now(), START)
    const other = createMachine().clock
    other.follow(START, START + 48 * HOUR)
    assert.equal(other.now(), START)
  })

  it('goes on a tenth slower while the database is an hour behind, and never back', () => {
    const { clock, pass } = createMachine()
    clock.follow(START)
    let last = clock.now()
    for (let second = 1; second <= 100; second++) {
      pass(1000)
      clock.follow(START - HOUR + second * 1000)
      assert.ok(clock.now() > last)
      last = clock.now()
    }
    assert.ok(Math.abs(last - START - 90_100) <= 1, String(last - START))
  })

  it('goes a tenth faster while the database is an hour ahead, so that nothing runs out of time at once', () => {
    const { clock, pass } = createMachine()
    clock.follow(START)
    for (let second = 1; second <= 100; second++) {
      pass(1000)
      clock.follow(START + HOUR + second * 1000)
    }
    assert.ok(Math.abs(clock.now() - START - 109_900) <= 1, String(clock.now() - START))
  })

  it('agrees with the database in the end, and stays there', () => {
    const { clock, pass } = createMachine()
    clock.follow(START)
    for (let second = 1; second <= 150; second++) {
      pass(1000)
      clock.follow(START - 10_000 + second * 1000)
    }
    const off = clock.now() - (START - 10_000 + 150_000)
    assert.ok(Math.abs(off) < 100, String(off))
  })

  it('makes up at once for the time that the machine has slept', () => {
    const { clock, pass, sleep } = createMachine()
    clock.follow(START)
    sleep(8 * HOUR)
    pass(1000)
    clock.follow(START + 8 * HOUR + 1000)
    assert.equal(clock.now(), START + 8 * HOUR + 1000)
  })
})
