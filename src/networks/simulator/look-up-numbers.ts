import type { Db } from '../../platform/db/sql.ts'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import type { NumberLookup } from '../number-lookup.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { behaviorOf } from './magic-numbers.ts'
import { findPhones } from './simulator.sql.ts'

/** Looks numbers up. A virtual phone matches with or without the ninth digit, and its own spelling is returned. */
export async function lookUp(db: Db, scope: PhoneScope, inputs: string[]): Promise<NumberLookup[]> {
  const rows = await findPhones(db, scope, inputs.flatMap(phoneSpellings))
  const known = new Map(rows.map((row) => [row.phone, row]))
  return inputs.map((input) => {
    const [row] = phoneSpellings(input).flatMap((phone) => known.get(phone) ?? [])
    const phone = row?.phone ?? withNinthDigit(input)
    // A virtual phone with this number may be created at any time, so the result must not be cached.
    const transient = row ? {} : { transient: true as const }
    const exists = behaviorOf(phone) !== 'not_on_network'
    return exists
      ? { input, exists, phone, lid: row?.lid ?? null, ...transient }
      : { input, exists, phone: null, lid: null, ...transient }
  })
}

/** Numbers without a virtual phone are spelled with the ninth digit, which is the longer spelling. */
function withNinthDigit(input: string): string {
  const [typed = input, other = typed] = phoneSpellings(input)
  return other.length > typed.length ? other : typed
}
