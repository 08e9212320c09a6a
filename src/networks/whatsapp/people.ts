import type { WAMessageKey } from 'baileys'
import { STATUS_CHAT, directChatId } from '../../model/recipient.ts'
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

/** The jids of a person, by which secrets between messages are derived. */
export const jidsOf = ({ phone, lid }: Party): string[] => [
  ...(phone ? [`${phone}@s.whatsapp.net`] : []),
  ...(lid ? [lid] : []),
]

/** The name that a sender's client has announced; null for the hyphen of one that has announced none. */
export const nameIn = (announced: string | null | undefined): string | null =>
  announced && announced !== '-' ? announced : null

/** Whether a party has an address. A receipt without one would count as a report of the server. */
export const isKnown = ({ phone, lid }: Party): boolean => phone !== null || lid !== null

/**
 * Returns the key of a message in the chat where clients show it: one that came through a broadcast list is in the direct
 * chat with its author. Null for what belongs to no chat: status posts, channels, and the account's own lists.
 */
export function chatKeyOf(
  key: WAMessageKey,
): (WAMessageKey & { id: string; remoteJid: string }) | null {
  const { id, remoteJid, participant, fromMe } = key
  if (!id || !remoteJid || remoteJid.endsWith('@newsletter')) return null
  if (!remoteJid.endsWith('@broadcast')) return { ...key, id, remoteJid }
  if (remoteJid === STATUS_CHAT || fromMe || !participant) return null
  const { remoteJidAlt } = key
  return {
    id,
    remoteJid: participant,
    fromMe: false,
    ...(remoteJidAlt ? { remoteJidAlt } : {}),
  }
}

/**
 * Identifies a change for deduplication. Its sender chooses the id of the message that carries it, so that the id alone
 * could be that of a change by someone else.
 */
export const changeIdOf = ({ remoteJid, participant, fromMe, id }: WAMessageKey): string =>
  `message ${remoteJid} ${fromMe ? 'self' : (participant ?? '')} ${id}`

/** Returns the other party of a direct chat. */
export function peerOf({ remoteJid, remoteJidAlt }: WAMessageKey): Party {
  return toParty([remoteJid, remoteJidAlt])
}

/** Returns the id of the chat that a jid belongs to: a person's by the phone or LID known of them, others as they are. */
export const chatIdOf = (jid: string, complete: (party: Party) => Party): string => {
  const party = toParty([jid])
  return isKnown(party) ? directChatId(complete(party)) : jid
}

/** Returns the author of an incoming message, in a group or a direct chat. */
export function authorOf(key: WAMessageKey, name: string | null): Party {
  const { participant, participantAlt, remoteJid, remoteJidAlt } = key
  return participant
    ? toParty([participant, participantAlt], name)
    : toParty([remoteJid, remoteJidAlt], name)
}
