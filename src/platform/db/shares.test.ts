import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sharesOf } from './shares.ts'

describe('sharesOf', () => {
  it('leaves a connection of every pool to other work, and a slot of every share to other Projects', () => {
    for (let poolSize = 6; poolSize <= 24; poolSize++) {
      const shares = Object.values(sharesOf(poolSize))
      const total = shares.reduce((sum, { max }) => sum + max, 0)
      assert.ok(total < poolSize, `${total} of ${poolSize}`)
      for (const { max, maxPerKey } of shares) {
        assert.ok(maxPerKey >= 1, `${poolSize}`)
        assert.ok(max === 1 || maxPerKey < max, `${maxPerKey} of ${max}`)
      }
    }
  })
})
