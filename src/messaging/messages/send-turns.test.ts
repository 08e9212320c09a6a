import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { createSendTurns } from './send-turns.ts'

/** Turns in which each send runs until `end` is called. */
function setUp() {
  const clock = createManualClock()
  const takeTurn = createSendTurns(clock, { maxWaiting: 1000, timeoutMs: 10_000 })
  const running: string[] = []
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const send = (projectId: string, count: number) =>
    Array.from({ length: count }, () =>
      takeTurn(projectId, () => {
        running.push(projectId)
        return promise
      }),
    )
  const countOf = (projectId: string) => running.filter((one) => one === projectId).length
  return { clock, send, countOf, end }
}

describe('the turns of sends', () => {
  it('one Project leaves turns to others, even if it is the only one that sends', async () => {
    const { send, countOf, end } = setUp()
    const all = send('many', 100)
    assert.equal(countOf('many'), 64)
    all.push(...send('one', 1))
    assert.equal(countOf('one'), 1)
    end()
    await Promise.all(all)
    assert.equal(countOf('many'), 100)
  })

  it('Projects that send at the same time have equal parts, at least four each', async () => {
    const { send, countOf, end } = setUp()
    const others = Array.from({ length: 7 }, (_, index) => `p${index}`)
    const all = others.flatMap((projectId) => send(projectId, 1))
    all.push(...send('many', 100))
    assert.equal(countOf('many'), 10)
    const more = Array.from({ length: 30 }, (_, index) => `q${index}`)
    all.push(...more.flatMap((projectId) => send(projectId, 1)))
    assert.equal(more.filter((projectId) => countOf(projectId) === 1).length, 30)
    all.push(...send('late', 10))
    assert.equal(countOf('late'), 4)
    end()
    await Promise.all(all)
  })

  it('a Project counts as sending for a second after its last send', async () => {
    const { clock, send, countOf, end } = setUp()
    const all = [...send('one', 1), ...send('many', 70)]
    assert.equal(countOf('many'), 40)
    clock.jump(1001)
    all.push(...send('many', 1))
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(countOf('many'), 64)
    end()
    await Promise.all(all)
  })
})
