import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { decodeAac } from './decode-aac.ts'

const file = (name: string) =>
  fileURLToPath(new URL(`../../test/kit/recordings/${name}`, import.meta.url))
const listeners = () =>
  process.listenerCount('uncaughtException') + process.listenerCount('unhandledRejection')

describe('decoding AAC', () => {
  it('decodeAac returns all samples, and leaves no listener that would keep the memory of its decoder', async () => {
    const before = listeners()
    let samples = 0
    for await (const { frames } of decodeAac(file('tone.m4a')))
      for (const { data } of frames) samples += (data as Float32Array).length
    assert.ok(Math.abs(samples / 22_050 - 1.5) < 0.1, `${samples} samples`)
    assert.equal(listeners(), before)
    await assert.rejects(async () => {
      for await (const _ of decodeAac(fileURLToPath(import.meta.url))) break
    })
    for await (const _ of decodeAac(file('tone.aac'))) break
    assert.equal(listeners(), before)
  })
})
