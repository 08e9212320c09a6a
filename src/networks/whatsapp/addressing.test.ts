import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Party } from '../../model/records.schemas.ts'
import { addressingOf } from './addressing.ts'

const SELF = { phone: '5511970000000', lid: '1@lid' }
const asIs = (party: Party) => party
const named = (phone: string) => ({ phone, lid: null })

/** How the members of a group are addressed, which has one with an eight-digit number. */
const inGroup = (addressingMode: 'pn' | 'lid') =>
  addressingOf(
    '120363000000000001@g.us',
    SELF,
    {
      addressingMode,
      participants: [{ id: '551199998888@s.whatsapp.net', lid: '77@lid' }],
    } as never,
    asIs,
  )

describe('addressingOf', () => {
  it('finds a member whose number is written with another ninth digit', () => {
    for (const phone of ['551199998888', '5511999998888']) {
      assert.equal(inGroup('pn').of(named(phone)), '551199998888@s.whatsapp.net')
      assert.equal(inGroup('lid').of(named(phone)), '77@lid')
    }
  })

  it('addresses a person who is not in the group by what is known of them', () => {
    const stranger = '5511988887777@s.whatsapp.net'
    assert.equal(inGroup('pn').of(named('5511988887777')), stranger)
    assert.equal(inGroup('lid').of({ phone: null, lid: '88@lid' }), '88@lid')
  })
})
