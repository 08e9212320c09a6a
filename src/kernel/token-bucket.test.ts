import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createCpuPace, createTokenBuckets } from './token-bucket.ts'

describe('createTokenBuckets', () => {
  it('a token bucket allows a burst, then limits each key to its rate, and rejects work that would wait past the maximum', () => {
    const clock = createManualClock()
    const pace = createTokenBuckets({ clock, maxWaitMs: 1000 })
    const rate = { perSecond: 100, burst: 200 }
    assert.equal(pace.take('a', 200, rate), 0)
    assert.equal(pace.take('a', 50, rate), 500)
    assert.equal(pace.take('b', 50, rate), 0)
    assert.equal(pace.take('a', 100, rate), null)
    assert.equal(pace.take('a', 50, rate), 1000)
    clock.jump(1500)
    assert.equal(pace.take('a', 50, rate), 0)
    clock.jump(60_000)
    assert.equal(pace.take('a', 201, rate), 10)
  })
})

describe('createCpuPace', () => {
  it('pauses the work of a key beyond its burst, and not that of other keys', async () => {
    const pace = createCpuPace({ perSecond: 20, burst: 10 })
    await pace('a', 10)
    const ended: string[] = []
    await Promise.all(
      ['a', 'b'].map(async (key) => {
        await pace(key, 10)
        ended.push(key)
      }),
    )
    assert.deepEqual(ended, ['b', 'a'])
  })
})
