import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createChatBackoff } from './chat-backoff.ts'
import { createOfferedCodes } from './offered-codes.ts'
import { createReconnectDelay } from './reconnect-delay.ts'

const CHAT = '5511999998888@s.whatsapp.net'

describe('delays on WhatsApp', () => {
  it('connections that end as soon as they are open are repeated ever more slowly, and others at once', () => {
    const clock = createManualClock()
    const delays = createReconnectDelay(clock)
    const longest = () => {
      let most = 0
      for (let attempt = 0; attempt < 200; attempt++) {
        delays.opened()
        delays.closed()
        most = Math.max(most, delays.next())
      }
      return most
    }
    assert.ok(longest() > 30_000)
    delays.opened()
    clock.jump(60_000)
    delays.closed()
    assert.ok(delays.next() <= 1000)
    // A connection that never opened has no duration, however long ago the last one closed.
    delays.opened()
    delays.closed()
    clock.jump(600_000)
    for (let attempt = 0; attempt < 20; attempt++) {
      delays.closed()
      delays.next()
    }
    const all = Array.from({ length: 50 }, () => delays.next())
    assert.ok(Math.max(...all) > 10_000)
  })

  it('each message of a chat has five attempts, also after another one has failed for good', () => {
    const clock = createManualClock()
    const backoff = createChatBackoff(clock)
    const attempts = () => {
      for (let count = 1; ; count++) {
        const until = backoff.failed(CHAT)
        if (until === null) return count
        clock.jump(until - clock.now())
      }
    }
    assert.equal(attempts(), 5)
    assert.notEqual(backoff.blockedUntil(CHAT), null, 'the chat still waits')
    clock.jump(24 * 3600_000)
    assert.equal(attempts(), 5)
  })

  it('the first code of each connection is valid for a minute, and later ones for 20 seconds', () => {
    const clock = createManualClock()
    const codes = createOfferedCodes<string>(clock)
    const validFor = (by: string) => {
      const { at, expiresAt } = codes.add(by)
      return expiresAt - at
    }
    assert.deepEqual(
      [validFor('first'), validFor('first'), validFor('second'), validFor('second')],
      [60_000, 20_000, 60_000, 20_000],
    )
  })
})
