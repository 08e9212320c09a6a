import type { WAMessageKey } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'

/** Converts the jids of one person (phone or LID, with or without a device) to a party; ignores other jids. */
export function toParty(jids: (string | null | undefined)[], name: string | null = null): Party {
  const party: Party = { phone: null, lid: null, name }
  for (const jid of jids) {
    const [, user, server] =
      /^(\d+)(?:_\d+)?(?::\d+)?@(s\.whatsapp\.net|lid|c\.us)$/.exec(jid ?? '') ?? []
    if (!user) continue
    if (server === 'lid') party.lid ??= `${user}@lid`
    else party.phone ??= user
  }
  return party
}

/** Whether a party has an address. A receipt without one would count as a report of the server. */
export const isKnown = ({ phone, lid }: Party): boolean => phone !== null || lid !== null

/** Returns the other party of a direct chat. */
export function peerOf({ remoteJid, remoteJidAlt }: WAMessageKey): Party {
  return toParty([remoteJid, remoteJidAlt])
}

/** Returns the author of an incoming message, in a group or a direct chat. */
export function authorOf(key: WAMessageKey, name: string | null): Party {
  const { participant, participantAlt, remoteJid, remoteJidAlt } = key
  return participant
    ? toParty([participant, participantAlt], name)
    : toParty([remoteJid, remoteJidAlt], name)
}
