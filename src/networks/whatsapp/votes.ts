import { createHash } from 'node:crypto'
import type { proto } from 'baileys'
import type { Party } from '../../model/records.schemas.ts'
import type { Baileys } from './baileys.ts'

/** A vote as it travels: sealed with its poll's secret. */
export type SealedVote = { pollId: string; sealed: proto.Message.IPollEncValue }

/** The question of a message, in whichever of its forms. */
export function pollOf(message: proto.IMessage): proto.Message.IPollCreationMessage | null {
  const { pollCreationMessage, pollCreationMessageV2, pollCreationMessageV3 } = message
  return pollCreationMessage ?? pollCreationMessageV2 ?? pollCreationMessageV3 ?? null
}

/**
 * The options that a vote chose, by the poll it is of; null when the two do not belong together. People go by their
 * numbers in some chats and by their LIDs in others, and the seal says only by trial which it was.
 */
export function openVote(
  baileys: Baileys,
  { pollId, sealed }: SealedVote,
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
      const vote = tryOpen(() => baileys.decryptPollVote(sealed, names))
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
    // The seal is another name's.
    return null
  }
}

const jidsOf = ({ phone, lid }: Party): string[] => [
  ...(phone ? [`${phone}@s.whatsapp.net`] : []),
  ...(lid ? [lid] : []),
]
