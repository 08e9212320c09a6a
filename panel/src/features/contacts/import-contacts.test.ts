import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeCsv } from '../../data/decode-csv.ts'
import { countRepeated, readContacts } from './import-contacts.ts'

describe('a file of contacts', () => {
  it('a contact file yields the number, the name and a field for every other non-empty column', async () => {
    const text =
      '\ufeffNome;Telefone;bairro;;CPF\nAna;(11) 98888-7777;Centro;x;\n;11 97777-6666;;;1'
    assert.deepEqual((await readContacts(text)).contacts, [
      { phone: '(11) 98888-7777', name: 'Ana', fields: { bairro: 'Centro' } },
      { phone: '11 97777-6666', fields: { CPF: '1' } },
    ])
  })

  it('a contact file tells the line of each contact, and the lines without a number', async () => {
    const file = await readContacts(
      'telefone,nome\n,Ana\n11988887777,"Rui,\no velho"\n\n(11) 98888-7777,Rui\n',
    )
    assert.deepEqual(file, {
      contacts: [
        { phone: '11988887777', name: 'Rui,\no velho' },
        { phone: '(11) 98888-7777', name: 'Rui' },
      ],
      lines: [4, 6],
      withoutNumber: [2],
    })
    assert.equal(countRepeated(file.contacts), 1)
    assert.deepEqual(await readContacts(''), { contacts: [], lines: [], withoutNumber: [] })
  })

  it('a contact file is split by the separator of its first line, even if names contain another one', async () => {
    assert.deepEqual((await readContacts('telefone;nome\n11988887777;Rui, o velho\n')).contacts, [
      { phone: '11988887777', name: 'Rui, o velho' },
    ])
    assert.deepEqual((await readContacts('sep=;\ntelefone;nome\n11988887777;Rui\n')).contacts, [
      { phone: '11988887777', name: 'Rui' },
    ])
  })

  it('a spreadsheet is rejected as a contact file, with advice to save it as CSV', () => {
    const workbook = Uint8Array.from([0x50, 0x4b, 0x03, 0x04, 0x14])
    assert.throws(() => decodeCsv(workbook.buffer), /CSV/)
  })

  it('a contact file is decoded from UTF-8, UTF-16 or the Windows encoding of Excel', () => {
    const wide = Uint8Array.from([0xff, 0xfe, 0x4a, 0, 0x6f, 0, 0xe3, 0, 0x6f, 0])
    assert.equal(decodeCsv(wide.buffer), 'João')
    const latin = Uint8Array.from([0x4a, 0x6f, 0xe3, 0x6f])
    assert.equal(decodeCsv(latin.buffer), 'João')
    assert.equal(decodeCsv(new TextEncoder().encode('João').buffer), 'João')
  })
})
