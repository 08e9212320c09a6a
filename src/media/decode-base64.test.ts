import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Failure } from '../kernel/phrases/fail.ts'
import { decodeBase64 } from './decode-base64.ts'

const chunksOf = (text: string) => Array.fromAsync(decodeBase64(text).chunks)
const bytesOf = async (text: string) => Buffer.concat(await chunksOf(text))
/** Breaks a text into lines. A regular expression that matches a line of five million characters may exhaust the stack. */
const inLines = (text: string, width: number): string =>
  Array.from(
    { length: Math.ceil(text.length / width) },
    (_, index) => `${text.slice(index * width, (index + 1) * width)}\r\n`,
  ).join('')
/** Longer than the slices in which it is decoded, and different everywhere. */
const long = Buffer.from(Uint32Array.from({ length: 1_000_000 }, (_, index) => index).buffer)

describe('decodeBase64', () => {
  it('decodeBase64 reads bare base64 and data URLs, with line breaks and without padding', async () => {
    assert.equal(String(await bytesOf('aGVs\nbG8')), 'hello')
    assert.equal(decodeBase64('aGVs\nbG8').claimed, null)
    const dataUrl = 'data:image/png;name=a.png;base64,aGVsbG8='
    assert.equal(String(await bytesOf(dataUrl)), 'hello')
    assert.equal(decodeBase64(dataUrl).claimed, 'image/png')
  })

  it('decodeBase64 reads a data URL of 16 MiB, which is too long for one match of a regular expression', async () => {
    const bytes = Buffer.alloc(16 * 1024 * 1024, 1)
    const decoded = await bytesOf(`data:image/png;base64,${bytes.toString('base64')}`)
    assert.ok(decoded.equals(bytes))
  })

  it('decodeBase64 decodes long text in chunks, however its lines and its padding are divided among them', async () => {
    for (const length of [long.length, long.length - 1, long.length - 2]) {
      const bytes = long.subarray(0, length)
      const encoded = bytes.toString('base64')
      for (const width of [encoded.length, 76, 61]) {
        const lines = inLines(encoded, width)
        for (const text of [lines, lines.replace(/[=\s]*$/, '')]) {
          assert.ok((await bytesOf(text)).equals(bytes), `${length} bytes in lines of ${width}`)
        }
      }
    }
    assert.ok((await chunksOf(long.toString('base64'))).length > 10)
  })

  for (const [what, text] of [
    ['three padding characters', 'aGVsbG8==='],
    ['padding in the middle', 'aGV=sbG8'],
    ['a character outside the alphabet', 'aGVsbG8!'],
    ['a character outside the alphabet beside an incomplete group', 'aGV!s'],
    ['a character outside the alphabet at the end of a long text', `${'A'.repeat(2_000_000)}!`],
    ['a last group of a single character', 'aGVsb'],
    ['a character that looks like one of the alphabet in its low byte', 'Ł'.repeat(4)],
    ['padding between two chunks', `${'A'.repeat(384 * 1024 - 1)}=AAAA`],
    ['a prefix of a hundred thousand parameters', `data:${';a=b'.repeat(100_000)};base64,aGVsbG8=`],
  ] as const) {
    it(`decodeBase64 rejects ${what}`, async () => {
      await assert.rejects(() => bytesOf(text), Failure)
    })
  }
})
