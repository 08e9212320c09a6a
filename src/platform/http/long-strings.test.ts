import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { Failure } from '../../kernel/phrases/fail.ts'
import { parseJsonBody } from './json-body.ts'

const MIB = 1024 * 1024
const parse = (text: string) => parseJsonBody(Buffer.from(text))

describe('long strings of a JSON body', () => {
  const units = {
    'escaped slashes, as PHP writes them': '\\/',
    'escaped backslashes': '\\\\',
    'escaped letters': '\\u00e9',
    'escaped pairs': '\\ud83d\\ude00',
    'escaped quotes and backslashes before a letter u': '\\"\\\\u1234',
    'characters of two, three and four bytes': 'éã€😀',
  }
  for (const [name, unit] of Object.entries(units)) {
    it(`are read like any other string, wherever a slice ends: ${name}`, async () => {
      for (let shift = 0; shift < 12; shift++) {
        const content = 'x'.repeat(shift) + unit.repeat(Math.ceil((1.2 * MIB) / unit.length))
        const text = `{"a":["${content}",1],"b":{"c":"${content}","d":"${unit}"}}`
        assert.deepEqual(await parse(text), JSON.parse(text), `shift ${shift}`)
      }
    })
  }

  const long = 'x'.repeat(2 * MIB)
  for (const [what, text] of [
    ['a raw line break', `["${long}\n${long}"]`],
    ['an unknown escape', `["${long}\\x${long}"]`],
    ['an incomplete escape', `["${long}\\u12"]`],
    ['no end', `["${long}`],
    ['an escaped NUL', `["${long}\\u0000"]`],
    ['half of an escaped pair', `["${long}\\ud83d${long}"]`],
    ['an error in the text around it', `{"a":"${long}",}`],
  ] as const) {
    it(`are rejected with 400: ${what}`, async () => {
      await assert.rejects(
        parse(text),
        (error) => error instanceof Failure && error.kind === 'bad_request',
      )
    })
  }

  it('keep their place: as a key, after a byte order mark, beside a null and as the whole body', async () => {
    assert.deepEqual(await parse(`{"${long}":1}`), { [long]: 1 })
    assert.deepEqual(await parse(`\ufeff{"a":null,"b":"${long}"}`), { b: long })
    assert.equal(await parse(`"${long}"`), long)
  })

  it('let other requests be served while they are read', async () => {
    const body = JSON.stringify({ base64: 'A'.repeat(14 * MIB) })
    let turns = 0
    let done = false
    const read = parse(body).finally(() => (done = true))
    while (!done) {
      await turn()
      turns++
    }
    await read
    assert.ok(turns >= 14, `${turns} turns of the event loop`)
  })
})
