import assert from 'node:assert/strict'
import { it } from 'node:test'
import { estimateP95 } from './durations.ts'

it('estimateP95 interpolates within the bucket that contains the p95, and returns null without durations', () => {
  assert.equal(estimateP95([0, 0, 0, 0, 0, 0, 0, 0, 0, 0]), null)
  assert.equal(estimateP95([0, 0, 100, 0, 0, 0, 0, 0, 0, 0]), 49)
  assert.equal(estimateP95([90, 0, 0, 10, 0, 0, 0, 0, 0, 0]), 75)
  assert.equal(estimateP95([0, 0, 0, 0, 0, 0, 0, 0, 0, 1]), 14_500)
})
