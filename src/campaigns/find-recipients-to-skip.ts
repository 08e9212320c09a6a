import type { Db, Scope } from '../platform/db/sql.ts'
import { contactKeyOf, type Recipient } from '../model/recipient.ts'
import { findPersonKeys } from './person-keys.ts'
import type { CampaignRow } from './campaigns.sql.ts'
import type { SkipReason } from './recipients.schemas.ts'
import { findListed, findOptedOut, type RecipientRow } from './recipients.sql.ts'

/** The scope of the worker. The campaign's own key is checked with every message. */
export const scopeOf = ({ projectId, mode }: CampaignRow): Scope => ({
  projectId,
  mode,
  keyId: null,
})

/** Returns the recipients to skip: those who opted out, and duplicates under another address. */
export async function findRecipientsToSkip(
  tx: Db,
  campaign: CampaignRow,
  next: RecipientRow[],
  known: ReadonlyMap<string, Recipient | null>,
): Promise<Map<number, SkipReason>> {
  const nameOf = ({ person, chatId }: RecipientRow) => {
    const to = known.get(chatId)
    return to ? contactKeyOf(to) : person
  }
  const names = [...new Set(next.flatMap((one) => [one.person, nameOf(one)]))]
  const scope = scopeOf(campaign)
  const keys = await findPersonKeys(tx, scope, names)
  const out = await findOptedOut(tx, scope, [
    ...new Set([...keys.values()].flatMap((all) => [...all])),
  ])
  const optedOut = new Set(
    names.filter((name) => [...(keys.get(name) ?? [])].some((key) => out.has(key))),
  )
  const others = next.flatMap((one) => (nameOf(one) === one.person ? [] : [nameOf(one)]))
  const listed = others.length > 0 ? await findListed(tx, campaign.id, others) : new Set()
  const toSkip = new Map<number, SkipReason>()
  for (const one of next) {
    const name = nameOf(one)
    if (optedOut.has(one.person) || optedOut.has(name)) toSkip.set(one.position, 'OPTED_OUT')
    else if (name !== one.person && listed.has(name)) toSkip.set(one.position, 'DUPLICATE')
  }
  return toSkip
}
