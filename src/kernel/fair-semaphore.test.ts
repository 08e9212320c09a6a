import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../test/kit/manual-clock.ts'
import { createFairSemaphore, SemaphoreTimeout } from './fair-semaphore.ts'

const openGate = (options: Partial<Parameters<typeof createFairSemaphore>[0]>) =>
  createFairSemaphore({
    clock: createManualClock(),
    max: 1,
    maxPerKey: options.max ?? 1,
    maxWaiting: 100,
    timeoutMs: 1e3,
    ...options,
  })

describe('createFairSemaphore', () => {
  it('the fair semaphore serves waiting keys round-robin, regardless of how much work each has queued', async () => {
    const gate = openGate({ max: 1 })
    const served: string[] = []
    const work = (key: string) => gate(key, async () => void served.push(key))
    await Promise.all([...Array.from({ length: 5 }, () => work('many')), work('one'), work('two')])
    assert.deepEqual(served, ['many', 'many', 'one', 'two', 'many', 'many', 'many'])
  })

  it('the fair semaphore runs up to max pieces of work at once, and frees the slot of work that fails', async () => {
    const gate = openGate({ max: 2 })
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

  it('the fair semaphore leaves slots for other keys when the work of one key hangs', async () => {
    const gate = openGate({ max: 3, maxPerKey: 2 })
    const { promise: hung, resolve } = Promise.withResolvers<void>()
    const stuck = Array.from({ length: 5 }, () => gate('stuck', () => hung))
    assert.equal(await gate('a', async () => 'runs'), 'runs')
    assert.equal(await gate('b', async () => 'runs'), 'runs')
    resolve()
    await Promise.all(stuck)
  })

  it('the fair semaphore starts all waiting work that a grown limit allows, in order and before newer work', async () => {
    let limit = 1
    const gate = openGate({ max: 8, maxPerKey: () => limit })
    const begun: number[] = []
    const ends = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
    const all = ends.slice(0, 5).map(({ promise }, index) =>
      gate('a', () => {
        begun.push(index)
        return promise
      }),
    )
    limit = 3
    ends[0]?.resolve()
    await all[0]
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(begun, [0, 1, 2, 3])
    limit = 5
    const last = gate('a', async () => void begun.push(5))
    await last
    assert.deepEqual(begun, [0, 1, 2, 3, 4, 5])
    for (const { resolve } of ends) resolve()
    await Promise.all(all)
  })

  it('the fair semaphore rejects work with SemaphoreTimeout when the queue is full', async () => {
    const gate = openGate({ max: 1, maxWaiting: 1 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = gate('a', () => promise)
    const second = gate('a', async () => {})
    await assert.rejects(
      gate('b', async () => {}),
      SemaphoreTimeout,
    )
    resolve()
    await Promise.all([first, second])
  })

  it('the fair semaphore rejects the newest work of the key with the longest queue, so that one key cannot fill the queue', async () => {
    const gate = openGate({ max: 1, maxWaiting: 4 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = gate('many', () => promise)
    const served: string[] = []
    const outcome = (key: string, name: string) =>
      gate(key, async () => void served.push(name)).then(
        () => 'served',
        (error: unknown) => error instanceof SemaphoreTimeout,
      )
    const many = ['m1', 'm2', 'm3', 'm4'].map((name) => outcome('many', name))
    const others = ['one', 'two', 'three'].map((key) => outcome(key, key))
    assert.equal(await outcome('four', 'four'), true, 'no other key waits with more')
    resolve()
    await first
    assert.deepEqual(await Promise.all(many), ['served', true, true, true])
    assert.deepEqual(await Promise.all(others), ['served', 'served', 'served'])
    assert.deepEqual(served, ['m1', 'one', 'two', 'three'])
  })

  it('the fair semaphore rejects work that waits past the timeout with SemaphoreTimeout, and serves the work queued behind it', async () => {
    const clock = createManualClock()
    const gate = openGate({ max: 1, clock })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = gate('a', () => promise)
    const late = assert.rejects(
      gate('a', async () => {}),
      SemaphoreTimeout,
    )
    clock.jump(600)
    const patient = gate('a', async () => 'served')
    clock.jump(400)
    await late
    resolve()
    await first
    assert.equal(await patient, 'served')
    assert.equal(await gate('a', async () => 'free'), 'free')
  })
})
