import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { disposableUntilKept } from '../../kernel/prepared.ts'
import { keepOnceCommitted } from './keep-prepared.ts'

describe('what a transaction refers to', () => {
  for (const [outcome, error, isKept] of [
    ['is committed', null, true],
    ['is lost with the connection', { code: 'CONNECTION_CLOSED' }, true],
    ['ends with the database', { code: '57P01' }, true],
    ['is rejected', { code: '23505' }, false],
    ['fails', {}, false],
  ] as const) {
    it(`a stored file is ${isKept ? 'kept' : 'removed'} when its transaction ${outcome}`, async () => {
      let removals = 0
      await (async () => {
        await using file = disposableUntilKept({}, async () => void removals++)
        await keepOnceCommitted(file, async () => {
          if (error) throw Object.assign(new Error(outcome), error)
        })
      })().catch(() => {})
      assert.equal(removals, isKept ? 0 : 1)
    })
  }
})
