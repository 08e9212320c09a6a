import type { GroupMetadata } from 'baileys'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { AuthState } from './auth-state.ts'
import type { GroupCache } from './group-cache.ts'
import { toParty } from './people.ts'

type Named = Pick<Party, 'phone' | 'lid'>

/** The jids of people in a chat. A group addresses members by phone or by LID, and clients recognize only that form. */
export type Addressing = { self: string; of(person: Named): string }

const phoneJid = (phone: string) => `${phone}@s.whatsapp.net`
const byPhone = ({ phone, lid }: Named) => (phone ? phoneJid(phone) : (lid ?? ''))
const byLid = ({ phone, lid }: Named) => lid ?? (phone ? phoneJid(phone) : '')

/** Returns the addressing of a chat. `complete` fills in a known phone or LID; `group` is null for a direct chat. */
export function addressingOf(
  chatId: string,
  self: Named,
  group: Pick<GroupMetadata, 'addressingMode' | 'participants'> | null,
  complete: (party: Party) => Party,
): Addressing {
  const usesLid = group ? String(group.addressingMode) === 'lid' : chatId.endsWith('@lid')
  const members = (group?.participants ?? []).map(({ id, lid, phoneNumber }) =>
    toParty([id, lid, phoneNumber]),
  )
  const name = usesLid ? byLid : byPhone
  return {
    self: name(self),
    of({ phone, lid }) {
      // A program may write a number with a ninth digit that the network's form of it lacks, or without it.
      const spellings = phone === null ? [] : phoneSpellings(phone)
      const member =
        members.find((one) => lid !== null && one.lid === lid) ??
        spellings.flatMap((form) => members.find((one) => one.phone === form) ?? [])[0]
      const known = complete({ phone: member?.phone ?? phone, lid, name: null })
      return name({
        phone: member?.phone ?? known.phone,
        lid: lid ?? member?.lid ?? known.lid,
      })
    },
  }
}

/**
 * Returns the addressing of a chat of the connected account. Loads the metadata of a group, unless only the account is
 * named.
 */
export async function addressingIn(
  { state, groups }: { state: AuthState; groups: GroupCache },
  chatId: string,
  { namesOthers = true } = {},
): Promise<Addressing> {
  const self = toParty([state.creds.me?.id, state.creds.me?.lid])
  const group = namesOthers && chatId.endsWith('@g.us') ? await groups.find(chatId) : null
  return addressingOf(chatId, self, group, state.complete)
}
