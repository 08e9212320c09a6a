import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseInstant, parseTime, requireFuture } from './validation.ts'

describe('times in requests', () => {
  it('a time is read in its offset, and without one in UTC wherever the server is', () => {
    for (const [text, expected] of [
      ['2027-01-01', '2027-01-01T00:00:00.000Z'],
      ['2027-01-01T09:00', '2027-01-01T09:00:00.000Z'],
      ['2027-01-01 09:00:00.25', '2027-01-01T09:00:00.250Z'],
      ['2027-01-01T09:00:00-03:00', '2027-01-01T12:00:00.000Z'],
      ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
      ['2027-01-01T09:00:00-03', '2027-01-01T12:00:00.000Z'],
      ['2027-01-01T09:00-0300', '2027-01-01T12:00:00.000Z'],
      ['2027-01-01 09:00:00 -0300', '2027-01-01T12:00:00.000Z'],
      ['2027-01-01T09:00:00,5Z', '2027-01-01T09:00:00.500Z'],
      ['2027-01-01t09:00:00z', '2027-01-01T09:00:00.000Z'],
    ])
      assert.equal(parseTime('since', text ?? '').toISOString(), expected, text)
  })

  it('a time that does not exist, or is followed by anything else, is rejected', () => {
    for (const text of [
      '2027-02-29',
      '2027-02-30T00:00:00Z',
      '2027-04-31T12:00:00-03:00',
      '2027-13-01',
      '2027-00-10',
      '2027-01-00',
      '2027-01-01T24:01:00Z',
      '2027-01-01(hoje)',
      '2027-1-1',
      '2027-01-01 12:00 PM PST',
      '0000-01-01T00:00:00Z',
      'amanhã',
      '1',
      '',
    ])
      assert.throws(() => parseTime('since', text), { kind: 'bad_request' }, text)
  })

  it('a time at which something will be done needs an offset, and must not have passed', () => {
    for (const text of ['2027-01-01', '2027-01-01T09:00:00', '2027-01-01T09:00'])
      assert.throws(() => parseInstant('sendAt', text), /fuso/, text)
    const at = parseInstant('sendAt', '2027-01-01T09:00:00-0300')
    assert.equal(at.toISOString(), '2027-01-01T12:00:00.000Z')
    requireFuture('sendAt', at, at.getTime() - 1)
    assert.throws(() => requireFuture('sendAt', at, at.getTime()), /já passou/)
  })
})
