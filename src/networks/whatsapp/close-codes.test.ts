import assert from 'node:assert/strict'
import { it } from 'node:test'
import { closeActionOf } from './close-codes.ts'

it('the close code of a connection determines what its session does next', () => {
  const next = (code: number | undefined, paired = true) => closeActionOf(code, paired).next
  const table: [number | undefined, string][] = [
    [515, 'restart'],
    [408, 'retry'],
    [428, 'retry'],
    [500, 'retry'],
    [503, 'retry'],
    [undefined, 'retry'],
    [440, 'yield'],
    [401, 'log_out'],
    [411, 'log_out'],
    [402, 'suspend'],
    [403, 'ban'],
    [406, 'ban'],
    [405, 'outdated'],
    [409, 'outdated'],
  ]
  for (const [code, expected] of table) assert.equal(next(code), expected, String(code))
  assert.equal(next(408, false), 'codes_expired')
})
