import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createManualClock } from '../../../test/kit/manual-clock.ts'
import { OwnershipLost } from '../../instances/fence.service.ts'
import { createMetrics } from '../../platform/metrics/metrics.ts'
import { createIsolatingStore } from './store-isolated.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

/** Stores items, except those that `fault` rejects. */
function storage(fault: (item: { id: string }) => Error | null) {
  const clock = createManualClock()
  const metrics = createMetrics()
  const errors: string[] = []
  const stored: string[] = []
  const calls: string[] = []
  const storeIsolated = createIsolatingStore({
    clock,
    metrics,
    onError: (error) => void errors.push((error as Error).message),
  })
  const store = async (items: { id: string }[]) => {
    calls.push(items.map(({ id }) => id).join(''))
    for (const item of items) {
      const error = fault(item)
      if (error) throw error
    }
    stored.push(...items.map(({ id }) => id))
  }
  const dropped = async () =>
    (await metrics.registry.getSingleMetric('network_events_dropped_total')?.get())?.values[0]
      ?.value ?? 0
  const put = (ids: string) =>
    storeIsolated(
      'ins_1',
      [...ids].map((id) => ({ id, text: 'secret' })),
      store,
    )
  return { clock, put, stored, errors, calls, dropped, storeIsolated }
}

describe('what a network reports', () => {
  it('reported events are stored together, in order and without those that the database rejects', async () => {
    const sound = storage(() => null)
    await sound.put('abcdefgh')
    assert.deepEqual(sound.calls, ['abcdefgh'])
    const poisoned = storage(({ id }) => (id === 'c' || id === 'h' ? withCode('54000') : null))
    await poisoned.put('abcdefgh')
    assert.equal(poisoned.stored.join(''), 'abdefg')
    assert.equal(await poisoned.dropped(), 2)
    assert.deepEqual(poisoned.errors, [
      'cannot store an event of instance ins_1, dropped: {"id":"c"}',
      'cannot store an event of instance ins_1, dropped: {"id":"h"}',
    ])
  })

  it('a reported event whose failure may be transient is retried before it is dropped', async () => {
    let failures = 0
    const passing = storage(() => (++failures <= 2 ? new Error('passing') : null))
    const done = passing.put('a')
    for (let second = 0; second < 2; second++) {
      await new Promise((resolve) => setImmediate(resolve))
      passing.clock.jump(1000)
    }
    await done
    assert.deepEqual([passing.stored, await passing.dropped()], [['a'], 0])
    const lasting = storage(() => new Error('lasting'))
    const ended = lasting.put('a')
    for (let second = 0; second < 2; second++) {
      await new Promise((resolve) => setImmediate(resolve))
      lasting.clock.jump(1000)
    }
    await ended
    assert.deepEqual([lasting.stored, await lasting.dropped()], [[], 1])
  })

  it('storing reported events throws while the database is unavailable or another node owns the instance, so that the adapter retries', async () => {
    // 42703: the column does not exist, as on a node whose database has another version.
    const codes = ['ECONNREFUSED', '57P01', '42703'].map(withCode)
    for (const error of [...codes, new OwnershipLost(['i'])]) {
      const { put, dropped } = storage(() => error)
      await assert.rejects(put('ab'), error)
      assert.equal(await dropped(), 0)
    }
  })

  it('a reported event with an implausible timestamp gets the current time', async () => {
    const { clock, storeIsolated } = storage(() => null)
    const now = clock.now()
    const seen: number[] = []
    const times = [now - 1000, now + 3_600_000, now + 90_000_000, -1, Number.NaN, 1e20]
    await storeIsolated(
      'ins_1',
      times.map((at) => ({ at })),
      async (items) => void seen.push(...items.map(({ at }) => at)),
    )
    assert.deepEqual(seen, [now - 1000, now + 3_600_000, now, now, now, now])
  })
})
