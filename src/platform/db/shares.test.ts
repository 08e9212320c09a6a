import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharesOf } from './shares.ts'

describe('the shares of a pool', () => {
  it('leave a connection for everything else, and one Project leaves others their turn, in every size of pool', () => {
    for (let size = 10; size <= 32; size++) {
      const shares = Object.values(sharesOf(size))
      const taken = shares.reduce((sum, { max }) => sum + max, 0)
      assert.ok(taken < size, `${taken} of ${size}`)
      assert.ok(shares.every(({ max, maxPerKey }) => max === 1 || maxPerKey < max))
    }
  })
})
