import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { markWords } from './mark-words.ts'

const shown = (text: string, query: string) =>
  markWords(text, query)
    .map((part) => (part.found ? `[${part.text}]` : part.text))
    .join('')

describe('the words of a search', () => {
  it('search words are highlighted regardless of accents and case', () => {
    assert.equal(shown('Amanhã às 8h', 'amanha'), '[Amanhã] às 8h')
    assert.equal(shown('Panetone, PANETONE!', 'panetone'), '[Panetone], [PANETONE]!')
    assert.equal(shown('bolo de cenoura', 'cenoura bolo'), '[bolo] de [cenoura]')
  })

  it('a search excerpt starts near the first match, and at the beginning of a text without a match', () => {
    const long = 'Bom dia, tudo bem? Queria saber quanto custa o panetone de chocolate'
    assert.equal(shown(long, 'panetone'), '… saber quanto custa o [panetone] de chocolate')
    assert.equal(shown(`${'a'.repeat(40)}panetone`, 'panetone'), `… ${'a'.repeat(24)}[panetone]`)
    assert.equal(shown('nada aqui', 'panetone'), 'nada aqui')
    assert.equal(shown('', 'x'), '')
  })

  it('overlapping search words are highlighted once', () => {
    assert.equal(shown('bolos', 'bolo bolos'), '[bolo]s')
  })
})
