import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { InstanceStatus } from '../model/records.schemas.ts'
import { connectedShareOf } from './uptime.ts'

const spans = (...entries: [InstanceStatus, number][]) =>
  entries.map(([status, at]) => ({ status, from: new Date(at) }))

describe('the connected share of a period', () => {
  it('counts the time connected against the time that it should have been', () => {
    assert.equal(connectedShareOf(spans(['CONNECTED', 0]), 0, 1000), 1)
    const dropped = spans(['CONNECTED', 0], ['DISCONNECTED', 600], ['CONNECTED', 700])
    assert.equal(connectedShareOf(dropped, 0, 1000), 0.9)
  })

  it('begins with the status before the period, and leaves out what the user stopped', () => {
    const before = spans(['CONNECTED', -5000], ['STOPPED', 250], ['CONNECTED', 750])
    assert.equal(connectedShareOf(before, 0, 1000), 1)
    assert.equal(connectedShareOf(spans(['DISCONNECTED', -9], ['CONNECTED', 500]), 0, 1000), 0.5)
  })

  it('is unknown for an instance that was never to be connected', () => {
    assert.equal(connectedShareOf([], 0, 1000), null)
    assert.equal(connectedShareOf(spans(['QR', 0], ['LOGGED_OUT', 10]), 0, 1000), null)
  })
})
