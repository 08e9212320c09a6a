import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { getCountries, getExampleNumber } from 'libphonenumber-js/max'
import examples from 'libphonenumber-js/mobile/examples'
import { completeNational } from './national-number.ts'

const CASES = [
  ['11 98888-0002', 'BR', '5511988880002'],
  ['(11) 98888-0002', 'BR', '5511988880002'],
  ['11988880002', 'BR', '5511988880002'],
  ['1138880002', 'BR', '551138880002'],
  ['5511988880002', 'BR', '5511988880002'],
  ['551138880002', 'BR', '551138880002'],
  ['55 11 98888-0002', 'BR', '5511988880002'],
  // 55 is also an area code in the south of Brazil.
  ['5533110002', 'BR', '555533110002'],
  ['55991110002', 'BR', '5555991110002'],
  ['14155552671', 'BR', '14155552671'],
] as const

describe('completeNational', () => {
  it('completeNational completes national numbers, and leaves international numbers as typed unless they are also valid national numbers', () => {
    let [left, completed] = [0, 0]
    for (const country of getCountries()) {
      const number = getExampleNumber(country, examples)
      if (!number) continue
      const whole = number.number.replace('+', '')
      if (completeNational(whole, country) === whole) left++
      if (completeNational(number.formatNational(), country) === whole) completed++
    }
    // Some international numbers are ambiguous: a German number with its country code 49 is also a valid national
    // number.
    assert.ok(left >= 240 && completed >= 230, `${left} left, ${completed} completed`)
    for (const [typed, country, whole] of CASES) {
      assert.equal(completeNational(typed, country), whole)
    }
  })
})
