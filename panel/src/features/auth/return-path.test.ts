import assert from 'node:assert/strict'
import { it } from 'node:test'
import { returnPath, searchOfReturn } from './return-path.ts'

it('the address after sign-in is a path of the panel, whatever a link asks for', () => {
  for (const path of ['/teste/inicio', '/producao/conversas?q=a%20b#c'])
    assert.equal(returnPath(path), path)
  for (const elsewhere of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    '/',
    'javascript:alert(1)',
    '',
    undefined,
    null,
    7,
    ['/teste'],
  ]) {
    assert.equal(returnPath(elsewhere), '/')
    assert.deepEqual(searchOfReturn(elsewhere), {})
  }
})
