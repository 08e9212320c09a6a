import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createTokenBuckets } from './token-bucket.ts'

describe('createPace', () => {
  it('a pace allows a burst, then paces each key at its rate, and rejects work that would wait past the maximum', () => {
    const clock = createManualClock()
    const pace = createTokenBuckets({ clock, perSecond: 100, burst: 200, maxWaitMs: 1000 })
    assert.equal(pace.take('a', 200), 0)
    assert.equal(pace.take('a', 50), 500)
    assert.equal(pace.take('b', 50), 0)
    assert.equal(pace.take('a', 100), null)
    assert.equal(pace.take('a', 50), 1000)
    clock.jump(1500)
    assert.equal(pace.take('a', 50), 0)
    clock.jump(60_000)
    assert.equal(pace.take('a', 201), 10)
  })
})
