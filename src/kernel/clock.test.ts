import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createFollowingClock } from './clock.ts'

const START = Date.parse('2026-11-20T15:00:00.000Z')
const HOUR = 3600_000

/** A following clock on a machine whose running and sleeping time the test advances. */
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

describe('a clock that follows the database clock', () => {
  it('a following clock adopts the database time at the first reading and corrects small differences immediately afterwards', () => {
    const { clock, pass } = createMachine()
    clock.follow(START + 5000)
    assert.equal(clock.now(), START + 5000)
    pass(1000)
    clock.follow(START + 6300)
    assert.equal(clock.now(), START + 6300)
  })

  it('a following clock starts no earlier than the latest recorded time, but ignores a recorded time that is implausibly far ahead', () => {
    const { clock } = createMachine()
    clock.follow(START - HOUR, START)
    assert.equal(clock.now(), START)
    const other = createMachine().clock
    other.follow(START, START + 48 * HOUR)
    assert.equal(other.now(), START)
  })

  it('a following clock runs 10 % slower while the database clock is an hour behind, and never goes backwards', () => {
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

  it('a following clock runs 10 % faster while the database clock is an hour ahead, so that deadlines do not all expire at once', () => {
    const { clock, pass } = createMachine()
    clock.follow(START)
    for (let second = 1; second <= 100; second++) {
      pass(1000)
      clock.follow(START + HOUR + second * 1000)
    }
    assert.ok(Math.abs(clock.now() - START - 109_900) <= 1, String(clock.now() - START))
  })

  it('a following clock converges to the database time and stays within 100 ms of it', () => {
    const { clock, pass } = createMachine()
    clock.follow(START)
    for (let second = 1; second <= 150; second++) {
      pass(1000)
      clock.follow(START - 10_000 + second * 1000)
    }
    const off = clock.now() - (START - 10_000 + 150_000)
    assert.ok(Math.abs(off) < 100, String(off))
  })

  it('a following clock catches up immediately after the machine has been asleep', () => {
    const { clock, pass, sleep } = createMachine()
    clock.follow(START)
    sleep(8 * HOUR)
    pass(1000)
    clock.follow(START + 8 * HOUR + 1000)
    assert.equal(clock.now(), START + 8 * HOUR + 1000)
  })
})
