import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderFailure, toFailure } from './error-envelope.ts'

const failed = (code: string) => Object.assign(new Error(code), { code })

describe('exhausted resources of the machine', () => {
  for (const code of ['ENOSPC', 'EDQUOT', '53100']) {
    it(`${code} renders as 507 with a sentence, even as the cause of another error`, () => {
      const { status, body } = renderFailure(toFailure(new Error('write', { cause: failed(code) })))
      assert.equal(status, 507)
      assert.deepEqual(body.error, {
        code: 'INSUFFICIENT_STORAGE',
        message: 'não há espaço em disco no servidor; avise quem o opera',
      })
    })
  }

  for (const code of ['EMFILE', 'ENFILE']) {
    it(`${code} renders as 503 with Retry-After`, () => {
      const { status, retryAfter } = renderFailure(toFailure(failed(code)))
      assert.deepEqual([status, retryAfter], [503, 5])
    })
  }

  it('any other error renders as 500', () => {
    assert.equal(renderFailure(toFailure(failed('EINVAL'))).status, 500)
  })
})
