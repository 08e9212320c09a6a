import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InstanceStatus } from '../model/vocabulary.ts'
import { uptimeShare } from './uptime.ts'

const HOUR_MS = 3600_000

/** The share of ten hours with these statuses, each from an hour on. */
const shareOf = (...entries: [InstanceStatus, number][]) =>
  uptimeShare(
    entries.map(([status, hour]) => ({ status, from: new Date(hour * HOUR_MS) })),
    0,
    10 * HOUR_MS,
  )

describe('the connected share of a period', () => {
  it('the connected share of a period is the time connected divided by the time that a connection was expected', () => {
    assert.equal(shareOf(['CONNECTED', 0]), 1)
    assert.equal(shareOf(['CONNECTED', 0], ['DISCONNECTED', 6], ['CONNECTED', 7]), 0.9)
  })

  it('the connected share of a period starts with the status before it, and excludes the time for which the user stopped the instance', () => {
    assert.equal(shareOf(['CONNECTED', -50], ['STOPPED', 2.5], ['CONNECTED', 7.5]), 1)
    assert.equal(shareOf(['DISCONNECTED', -9], ['CONNECTED', 5]), 0.5)
  })

  it('the connected share of a period is null if a connection was expected for less than an hour', () => {
    assert.equal(shareOf(), null)
    assert.equal(shareOf(['QR', 0], ['LOGGED_OUT', 1]), null)
    assert.equal(shareOf(['CONNECTING', 9.5], ['CONNECTED', 9.6]), null)
  })
})
