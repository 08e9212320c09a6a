import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeCsv, readContacts } from './import-contacts.ts'

describe('a file of contacts', () => {
  it('gives number, name and a field for every other column that has a value', async () => {
    const text =
      '\ufeffNome;Telefone;bairro;;CPF\nAna;(11) 98888-7777;Centro;x;\n;11 97777-6666;;;1'
    assert.deepEqual(await readContacts(text), [
      { phone: '(11) 98888-7777', name: 'Ana', fields: { bairro: 'Centro' } },
      { phone: '11 97777-6666', fields: { CPF: '1' } },
    ])
  })

  it('leaves out lines without a number, and has none if it is empty', async () => {
    assert.deepEqual(await readContacts('telefone,nome\n,Ana\n11988887777,"Rui, o velho"\n'), [
      { phone: '11988887777', name: 'Rui, o velho' },
    ])
    assert.deepEqual(await readContacts(''), [])
  })

  it('is read as UTF-8, or as Excel saves it', () => {
    const latin = Uint8Array.from([0x4a, 0x6f, 0xe3, 0x6f])
    assert.equal(decodeCsv(latin.buffer), 'João')
    assert.equal(decodeCsv(new TextEncoder().encode('João').buffer), 'João')
  })
})
