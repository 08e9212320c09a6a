import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatNumber } from './number.ts'

describe('numbers of the panel', () => {
  it('numbers are formatted like Intl formats them, in every language', () => {
    for (const language of ['pt-BR', 'en', 'es']) {
      const format = new Intl.NumberFormat(language)
      for (const value of [0, 7, -7, 999, -999, 1000, 12_345, 1_234_567, 0.5, 1.25, -0.5]) {
        assert.equal(formatNumber(value, language), format.format(value), `${value} in ${language}`)
      }
    }
  })
})
