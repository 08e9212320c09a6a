import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loudnessOf } from './waveform.ts'

describe('the waveform of a recording', () => {
  it('a waveform shows the volume of each part relative to the loudest one', () => {
    assert.deepEqual(loudnessOf([0, 0, 0.5, -0.5, 0.25, -0.25], 3), [0, 1, 0.5])
  })

  it('a waveform is flat for silence and for recordings with fewer samples than bars', () => {
    assert.deepEqual(loudnessOf([0, 0, 0, 0], 2), [0, 0])
    assert.deepEqual(loudnessOf([], 3), [0, 0, 0])
    assert.deepEqual(loudnessOf([1], 2), [0, 1])
  })
})
