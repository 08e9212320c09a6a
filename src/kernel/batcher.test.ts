import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createBatcher } from './batcher.ts'
import { createPendingWork } from './pending-work.ts'

describe('createBatcher', () => {
  it('the batcher flushes a lone item immediately, batches later items, and resolves each with its own result', async () => {
    const sizes: number[] = []
    const batcher = createBatcher<number, number>({
      activity: createPendingWork(),
      maxItems: 4,
      maxInFlight: 1,
      flush: async (items) => {
        sizes.push(items.length)
        return items.map((item) => item * 2)
      },
    })
    assert.equal(await batcher.add(1), 2)
    assert.deepEqual(await Promise.all([1, 2, 3, 4, 5, 6].map(batcher.add)), [2, 4, 6, 8, 10, 12])
    assert.deepEqual(sizes, [1, 4, 2])
  })
  it('the batcher takes items of each key in turn when they exceed a batch, and keeps the order of each key', async () => {
    const batches: string[][] = []
    const batcher = createBatcher<string, string>({
      activity: createPendingWork(),
      maxItems: 4,
      keyOf: (item) => item[0] ?? '',
      maxInFlight: 1,
      flush: async (items) => {
        batches.push(items)
        return items
      },
    })
    const items = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'a6', 'c1', 'c2']
    assert.deepEqual(await Promise.all(items.map(batcher.add)), items)
    assert.deepEqual(batches, [['a1', 'a2', 'b1', 'c1'], ['a3', 'a4', 'a5', 'c2'], ['a6']])
    assert.equal(batcher.waiting(), 0)
  })
  it('the batcher rejects every item of a failed batch and processes later batches', async () => {
    let fails = true
    const batcher = createBatcher<number, number>({
      activity: createPendingWork(),
      maxItems: 10,
      maxInFlight: 1,
      flush: async (items) => {
        if (fails) throw new Error('x')
        return items
      },
    })
    const results = await Promise.allSettled([batcher.add(1), batcher.add(2)])
    assert.deepEqual(
      results.map((result) => result.status),
      ['rejected', 'rejected'],
    )
    fails = false
    assert.equal(await batcher.add(3), 3)
  })
})

describe('createBatcher with isItemError', () => {
  it('the batcher rejects only the item that caused the failure of its batch', async () => {
    const batcher = createBatcher<number, number>({
      activity: createPendingWork(),
      maxItems: 10,
      maxInFlight: 1,
      isItemError: (error) => error instanceof RangeError,
      flush: async (items) => {
        if (items.includes(2)) throw new RangeError('2')
        return items
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map(batcher.add))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })
})
