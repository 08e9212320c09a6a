import type { Clock } from '../../kernel/clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { NetworkCommands } from '../network.port.ts'
import { addressingIn } from './addressing.ts'
import { rejectionOf } from './groups.ts'
import { toParty } from './people.ts'
import { relayChange } from './relay-change.ts'
import type { OpenConnection } from './open-connection.ts'

const PIN = '2'
/** The collection and version of stars among the account's lists. Source: BuildStar of whatsmeow. */
const STARS = { type: 'regular_high', apiVersion: 2 } as const
/** Placeholder for the author where chat and direction already imply it. */
const KNOWN_AUTHOR = '0'

const NO_PEER = { lid: null }
const jidOf = ({ phone, lid }: Party) => lid ?? `${phone}@s.whatsapp.net`

/** Creates the commands that pin messages in their chat, and star them for the account. */
export function createMarkCommands(
  clock: Clock,
  requireLine: () => OpenConnection,
): Pick<NetworkCommands, 'pin' | 'star'> {
  /** Returns how the author of a group's message is named in its chat; null where no name is needed. */
  async function authorIn(chatId: string, fromMe: boolean, sender: Party): Promise<string | null> {
    if (fromMe || !chatId.endsWith('@g.us')) return null
    const { of } = await addressingIn(requireLine(), chatId)
    return of(sender)
  }

  return {
    async pin({ chatId, waMessageId, fromMe, sender, seconds }) {
      const line = requireLine()
      const { baileys } = line
      const { PIN_FOR_ALL, UNPIN_FOR_ALL } = baileys.proto.Message.PinInChatMessage.Type
      const participant = await authorIn(chatId, fromMe, sender)
      const pinInChatMessage = {
        key: { remoteJid: chatId, fromMe, id: waMessageId, ...(participant && { participant }) },
        type: seconds === null ? UNPIN_FOR_ALL : PIN_FOR_ALL,
        senderTimestampMs: clock.now(),
      }
      const messageContextInfo = { messageAddOnDurationInSecs: seconds ?? 0 }
      await relayChange(line, chatId, { pinInChatMessage, messageContextInfo }, { edit: PIN })
      return null
    },

    async star({ chatId, waMessageId, fromMe, sender, starred }) {
      const { baileys, socket, state, barrier } = requireLine()
      // A star needs no membership, and the server describes a group to its members alone.
      const author = await authorIn(chatId, fromMe, sender).catch((error: unknown) => {
        if (!rejectionOf(error)) throw error
        return jidOf(state.complete(sender))
      })
      const { lid } = chatId.endsWith('@g.us') ? NO_PEER : state.complete(toParty([chatId]))
      // Phones that have migrated to LIDs know a direct chat by its LID, and others by its number.
      for (const jid of new Set([chatId, lid ?? chatId])) {
        // The engine's own function names no author, without which phones do not find a message of a group.
        await socket.appPatch({
          ...STARS,
          index: ['star', jid, waMessageId, fromMe ? '1' : '0', author ?? KNOWN_AUTHOR],
          syncAction: { starAction: { starred } },
          operation: baileys.proto.SyncdMutation.SyncdOperation.SET,
        })
        // The engine emits no event for its own changes.
        barrier.eventQueued('list')
      }
      return { at: clock.now() }
    },
  }
}
