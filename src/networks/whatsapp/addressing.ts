import type { GroupMetadata } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import { toParty } from './people.ts'

type Named = Pick<Party, 'phone' | 'lid'>

/** How people are named in a chat: groups address their members by phone or by LID, and clients look for that name alone. */
export type Addressing = { self: string; of(person: Named): string }

const phoneJid = (phone: string) => `${phone}@s.whatsapp.net`
const byPhone = ({ phone, lid }: Named) => (phone ? phoneJid(phone) : (lid ?? ''))
const byLid = ({ phone, lid }: Named) => lid ?? (phone ? phoneJid(phone) : '')

/** The addressing of a chat. `complete` adds what the account knows of somebody; `group` is null for a direct chat. */
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
      const member = members.find(
        (one) => (phone !== null && one.phone === phone) || (lid !== null && one.lid === lid),
      )
      const known = complete({ phone, lid, name: null })
      return name({
        phone: phone ?? member?.phone ?? known.phone,
        lid: lid ?? member?.lid ?? known.lid,
      })
    },
  }
}
