import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillTemplate, variablesOf } from './fill-template.ts'
import { parseOptOut } from './parse-opt-out.ts'

describe('readWish', () => {
  it('reads the words whatever their case, accents and punctuation', () => {
    assert.equal(parseOptOut('Não quero mais receber!'), 'out')
    assert.equal(parseOptOut('VOLTAR.'), 'in')
    assert.equal(parseOptOut('bom dia'), null)
    assert.equal(parseOptOut(null), null)
  })

  it('takes a long text for no wish, without normalizing it', (t) => {
    const normalize = t.mock.method(String.prototype, 'normalize')
    const marks = '\u0301\u0323'.repeat(500_000)
    assert.equal(parseOptOut(`sair${marks}`), null)
    assert.equal(normalize.mock.callCount(), 0)
  })
})

describe('placeholders', () => {
  it('have names of 100 characters at most', () => {
    const name = 'a'.repeat(100)
    assert.deepEqual(variablesOf(`{{ ${name} }} {{${name}a}}`), [name])
    assert.equal(fillTemplate('Oi, {{ nome }}', { nome: 'Ana' }), 'Oi, Ana')
  })
})
