import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createRefusalDelay } from './rejection-delay.ts'

it('clients that are rejected at the same moment receive their responses spread over a second (G60)', async () => {
  const clock = createManualClock()
  const delay = createRefusalDelay(clock, 0)
  let done = 0
  for (let count = 0; count < 200; count++) void delay('192.0.2.1').then(() => done++)
  const perTenth: number[] = []
  for (let tenth = 0; tenth < 15; tenth++) {
    const before = done
    clock.jump(100)
    await turn()
    perTenth.push(done - before)
  }
  assert.equal(done, 200)
  assert.ok(Math.max(...perTenth) <= 25, perTenth.join(', '))
})
