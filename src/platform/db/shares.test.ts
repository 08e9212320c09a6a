import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharesOf } from './shares.ts'

describe('the shares of a pool', () => {
  it('the shares of a pool of any size leave a connection for other work, and a slot for other Projects', () => {
    for (let size = 12; size <= 32; size++) {
      const shares = Object.values(sharesOf(size))
      const taken = shares.reduce((sum, { max }) => sum + max, 0)
      assert.ok(taken < size, `${taken} of ${size}`)
      assert.ok(shares.every(({ max, maxPerKey }) => max === 1 || maxPerKey < max))
    }
  })
})
