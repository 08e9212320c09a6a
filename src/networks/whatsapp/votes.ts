import { createHash } from 'node:crypto'
import type { proto } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { Baileys } from './baileys.ts'
import { jidsOf } from './people.ts'

/** A vote encrypted with the secret of its poll. */
export type EncryptedVote = {
  pollId: string
  /** Who wrote the poll, according to the voter. */
  creatorJid: string | null
  encrypted: proto.Message.IPollEncValue
}

/** Returns the poll in a message, in any of its versions; null if there is none. */
export function pollOf(message: proto.IMessage): proto.Message.IPollCreationMessage | null {
  const { pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 } = message
  const { pollCreationMessageV4, pollCreationMessageV5 } = message
  const wrapped = pollCreationMessageV4?.message
  return (
    pollCreationMessage ??
    pollCreationMessageV2 ??
    pollCreationMessageV3 ??
    pollCreationMessageV5 ??
    (wrapped ? pollOf(wrapped) : null)
  )
}

/** Returns the content of a vote, whose options are read later; null if it names no poll. */
export function toVote({ pollCreationMessageKey }: proto.Message.IPollUpdateMessage) {
  const waMessageId = pollCreationMessageKey?.id
  return waMessageId ? { type: 'pollVote' as const, waMessageId, options: [] as string[] } : null
}

/**
 * Decrypts a vote with its poll and returns the chosen options; null if the two do not belong together. Some chats
 * identify people by phone and others by LID; trial decryption finds which of them the vote was encrypted with.
 */
export function decryptVote(
  baileys: Baileys,
  { pollId, encrypted }: Pick<EncryptedVote, 'pollId' | 'encrypted'>,
  poll: proto.IMessage,
  people: { creators: Party[]; voter: Party },
): string[] | null {
  const secret = poll.messageContextInfo?.messageSecret
  const asked = pollOf(poll)
  if (!secret || !asked) return null
  const options = new Map(
    (asked.options ?? []).map(({ optionName }) => {
      const name = optionName ?? ''
      return [createHash('sha256').update(name).digest('hex'), name]
    }),
  )
  for (const pollCreatorJid of people.creators.flatMap(jidsOf)) {
    for (const voterJid of jidsOf(people.voter)) {
      const names = { pollCreatorJid, voterJid, pollMsgId: pollId, pollEncKey: secret }
      const vote = tryOpen(() => baileys.decryptPollVote(encrypted, names))
      if (!vote) continue
      return (vote.selectedOptions ?? []).flatMap((hash) => {
        return options.get(Buffer.from(hash).toString('hex')) ?? []
      })
    }
  }
  return null
}

function tryOpen<T>(open: () => T): T | null {
  try {
    return open()
  } catch {
    // The vote was encrypted with another identifier.
    return null
  }
}
