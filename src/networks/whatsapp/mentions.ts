import type { proto } from 'baileys'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Addressing } from './addressing.ts'
import { toParty } from './people.ts'

type Names = ReadonlyMap<string, string>
/** The part of a jid that a text names after an at sign. */
const userOf = (jid: string) => jid.split('@')[0]?.split(':')[0] ?? ''

const rename = (text: string, names: Names): string =>
  text.replace(/@(\d{1,20})(?!\d)/g, (mention, user: string) => {
    const name = names.get(user)
    return name === undefined ? mention : `@${name}`
  })

/**
 * Rewrites the `@number` of the people whom a text mentions to how the chat addresses them, because clients show a
 * mention only then.
 */
export function addressMentions(text: string, mentions: string[], { of }: Addressing): string {
  const names = mentions.flatMap((phone) => {
    const name = userOf(of({ phone, lid: null }))
    return phoneSpellings(phone).map((form) => [form, name] as const)
  })
  return rename(text, new Map(names))
}

/** The jids of the people whom a message mentions. */
export const mentionedIn = (mentions: string[], { of }: Addressing): string[] =>
  mentions.map((phone) => of({ phone, lid: null }))

/** Rewrites the LIDs in a received text to the phones of the people whom it mentions, where they are known. */
export function nameMentions(
  message: proto.IMessage,
  complete: (party: Party) => Party,
): proto.IMessage {
  const renamePart = (part: unknown) => {
    if (!part || typeof part !== 'object' || !('contextInfo' in part)) return part
    const { contextInfo, ...said } = part as {
      contextInfo: proto.IContextInfo | null
      text?: unknown
      caption?: unknown
    }
    const names = new Map(
      (contextInfo?.mentionedJid ?? []).flatMap((jid) => {
        const { phone } = complete(toParty([jid]))
        return phone === null ? [] : [[userOf(jid), phone] as const]
      }),
    )
    if (names.size === 0) return part
    const { text, caption } = said
    return {
      ...part,
      ...(typeof text === 'string' ? { text: rename(text, names) } : {}),
      ...(typeof caption === 'string' ? { caption: rename(caption, names) } : {}),
    }
  }
  return Object.fromEntries(Object.entries(message).map(([kind, part]) => [kind, renamePart(part)]))
}
