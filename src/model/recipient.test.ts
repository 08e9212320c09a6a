import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parsePhone } from '../kernel/phone-number.ts'
import { parseRecipient } from './recipient.ts'

describe('parseRecipient', () => {
  it('parseRecipient accepts phone numbers with or without punctuation, LIDs and group ids', () => {
    assert.equal(parsePhone('+55 (11) 99999-8888'), '5511999998888')
    assert.equal(parseRecipient('5511999998888')?.chatId, '5511999998888@s.whatsapp.net')
    assert.equal(parseRecipient('123456@lid')?.lid, '123456@lid')
    assert.equal(parseRecipient('120363000000000001@g.us')?.chatType, 'group')
  })
  it('parseRecipient returns null for any other text', () => {
    for (const bad of ['', '12', '0119999', 'ana', '5511999998888@x', '1'.repeat(16), '++']) {
      assert.equal(parseRecipient(bad), null, bad)
    }
  })
})
