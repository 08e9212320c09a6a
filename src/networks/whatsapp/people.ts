import type { WAMessageKey } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'

/** A person by one or two of his addresses, each perhaps with a device. */
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

/** Whose chat a message stands in. */
export function peerOf({ remoteJid, remoteJidAlt }: WAMessageKey): Party {
  return toParty([remoteJid, remoteJidAlt])
}

/** Who wrote it, in a group or a direct chat. */
export function authorOf(key: WAMessageKey, name: string | null): Party {
  const { participant, participantAlt, remoteJid, remoteJidAlt } = key
  return participant
    ? toParty([participant, participantAlt], name)
    : toParty([remoteJid, remoteJidAlt], name)
}
