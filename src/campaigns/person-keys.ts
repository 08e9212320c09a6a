import { phoneSpellings } from '../kernel/phone-number.ts'
import { contactKeyOf, isLid } from '../model/recipient.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { findAddresses } from './opt-outs.sql.ts'

/**
 * Returns every key under which each of these people may be stored, by the given key: a contact known by number and LID
 * may have opted out under either.
 */
export async function findPersonKeys(
  db: Db,
  scope: Scope,
  people: string[],
): Promise<Map<string, Set<string>>> {
  const keys = new Map(people.map((person) => [person, new Set([person])]))
  if (people.length === 0) return keys
  const found = await findAddresses(db, scope, {
    phones: people.filter((person) => !isLid(person)).flatMap(phoneSpellings),
    lids: people.filter(isLid),
  })
  for (const { phone, lid } of found) {
    const person = contactKeyOf({ phone, chatId: lid })
    keys.get(person)?.add(lid)
    keys.get(lid)?.add(person)
  }
  return keys
}
