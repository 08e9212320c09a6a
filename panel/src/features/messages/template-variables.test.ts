import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillVariables, variableCount } from './template-variables.ts'

describe('the variables of a template', () => {
  it('are counted by the highest number, and filled in where a value is known', () => {
    const body = 'Oi, {{1}}! O pedido {{2}} saiu. Até já, {{1}}.'
    assert.equal(variableCount(body), 2)
    assert.equal(variableCount('Sem variáveis'), 0)
    assert.equal(fillVariables(body, ['Ana', '']), 'Oi, Ana! O pedido {{2}} saiu. Até já, Ana.')
  })
})
