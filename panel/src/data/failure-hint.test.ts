import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { t } from '../phrases/phrases.ts'
import { failureHint } from './failure-hint.ts'

const ending = (statusCode: number | null, errorReason = '', durationMs = 20) =>
  failureHint({ statusCode, errorReason, durationMs })

describe('the hint about a failed delivery', () => {
  it('the hint about a failed delivery depends on the status of the response', () => {
    assert.equal(ending(401), t.hints.refused)
    assert.equal(ending(404), t.hints.path)
    assert.equal(ending(302), t.hints.redirect)
    assert.equal(ending(422), t.hints.rejected)
    assert.equal(ending(503), t.hints.crash)
  })

  it('the hint about a failed delivery depends on the code of a network error, in any language of its reason', () => {
    assert.equal(ending(null, 'erro de rede: ENOTFOUND'), t.hints.name)
    assert.equal(ending(null, 'network error: ECONNREFUSED'), t.hints.closed)
    assert.equal(ending(null, 'erro de rede: tempo esgotado', 15_001), t.hints.slow)
    assert.equal(ending(null, 'erro de rede: o certificado venceu'), null)
  })
})
