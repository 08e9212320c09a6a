import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillVariables, variableCount } from './template-variables.ts'

describe('the variables of a template', () => {
  it('the number of template variables is the highest placeholder, and known values are filled in', () => {
    const body = 'Oi, {{1}}! O pedido {{2}} saiu. Até já, {{1}}.'
    assert.equal(variableCount(body), 2)
    assert.equal(variableCount('Sem variáveis'), 0)
    assert.equal(fillVariables(body, ['Ana', '']), 'Oi, Ana! O pedido {{2}} saiu. Até já, Ana.')
  })
})
