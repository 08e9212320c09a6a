import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fillTemplate, variablesOf } from '../kernel/fill-template.ts'
import { parseOptOut } from './parse-opt-out.ts'

describe('parseOptOut', () => {
  it('parseOptOut ignores case, accents and punctuation', () => {
    assert.equal(parseOptOut('Não quero mais receber!'), 'out')
    assert.equal(parseOptOut('VOLTAR.'), 'in')
    assert.equal(parseOptOut('bom dia'), null)
    assert.equal(parseOptOut(null), null)
  })

  it('parseOptOut returns null for a long text without normalizing it', (t) => {
    const normalize = t.mock.method(String.prototype, 'normalize')
    const marks = '\u0301\u0323'.repeat(500_000)
    assert.equal(parseOptOut(`sair${marks}`), null)
    assert.equal(normalize.mock.callCount(), 0)
  })
})

describe('placeholders', () => {
  it('placeholder names have at most 100 characters', () => {
    const name = 'a'.repeat(100)
    assert.deepEqual(variablesOf(`{{ ${name} }} {{${name}a}}`), [name])
    assert.equal(fillTemplate('Oi, {{ nome }}', { nome: 'Ana' }), 'Oi, Ana')
  })
})
