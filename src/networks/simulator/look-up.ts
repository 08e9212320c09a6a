import type { Db } from '../../platform/db/sql.ts'
import { phoneSpellings } from '../../kernel/recipient.ts'
import type { LookedUp } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { behaviourOf } from './magic-numbers.ts'
import { findPhones } from './simulator.sql.ts'

/** The number as this network writes it: that of a virtual phone, with or without the ninth digit, goes first. */
export async function lookUp(db: Db, scope: PhoneScope, inputs: string[]): Promise<LookedUp[]> {
  const rows = await findPhones(db, scope, inputs.flatMap(phoneSpellings))
  const known = new Map(rows.map((row) => [row.phone, row]))
  return inputs.map((input) => {
    const [row] = phoneSpellings(input).flatMap((phone) => known.get(phone) ?? [])
    const phone = row?.phone ?? withNinthDigit(input)
    // Anybody may make a telephone of a number that is nobody's.
    const passing = row ? {} : { passing: true as const }
    const exists = behaviourOf(phone) !== 'not_on_network'
    return exists
      ? { input, exists, phone, lid: row?.lid ?? null, ...passing }
      : { input, exists, phone: null, lid: null, ...passing }
  })
}

/** On this network numbers that are nobody's have their ninth digit: it is the longer spelling. */
function withNinthDigit(input: string): string {
  const [typed = input, other = typed] = phoneSpellings(input)
  return other.length > typed.length ? other : typed
}
