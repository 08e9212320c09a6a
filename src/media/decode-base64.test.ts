import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../kernel/phrases/fail.ts'
import { decodeBase64 } from './decode-base64.ts'

describe('decodeBase64', () => {
  it('decodeBase64 reads bare base64 and data URLs, with line breaks and without padding', () => {
    assert.deepEqual(decodeBase64('aGVs\nbG8'), { bytes: Buffer.from('hello'), claimed: null })
    assert.deepEqual(decodeBase64('data:image/png;name=a.png;base64,aGVsbG8='), {
      bytes: Buffer.from('hello'),
      claimed: 'image/png',
    })
  })

  it('decodeBase64 reads a data URL of 16 MiB, which is too long for one match of a regular expression', () => {
    const bytes = Buffer.alloc(16 * 1024 * 1024, 1)
    const { bytes: read } = decodeBase64(`data:image/png;base64,${bytes.toString('base64')}`)
    assert.ok(read.equals(bytes))
  })

  for (const [what, text] of [
    ['three padding characters', 'aGVsbG8==='],
    ['padding in the middle', 'aGV=sbG8'],
    ['a character outside the alphabet', 'aGVsbG8!'],
    ['a prefix of a hundred thousand parameters', `data:${';a=b'.repeat(100_000)};base64,aGVsbG8=`],
  ] as const) {
    it(`decodeBase64 rejects ${what}`, () => {
      assert.throws(() => decodeBase64(text), Failure)
    })
  }
})
