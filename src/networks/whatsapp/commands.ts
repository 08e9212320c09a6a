import type { Logger } from 'pino'
import type { Clock } from '../../kernel/clock.ts'
import { phoneSpellings } from '../../kernel/phone-number.ts'
import { isChannel, parsePublishedChat } from '../../model/publishing.ts'
import { STATUS_CHAT } from '../../model/recipient.ts'
import { NetworkRejection, type NetworkCommands, type NetworkSession } from '../network.port.ts'
import type { NumberLookup } from '../number-lookup.ts'
import { addressingIn } from './addressing.ts'
import { createGroupCommands } from './groups.ts'
import { createJoinRequestCommands } from './join-requests.ts'
import { createLabelCommands } from './labels.ts'
import { createMarkCommands } from './mark-commands.ts'
import { createDownloader } from './download.ts'
import type { WhatsAppMedia } from './media.ts'
import { addressMentions, mentionedIn } from './mentions.ts'
import { toParty } from './people.ts'
import { createProfileCommands } from './profiles.ts'
import type { Previews } from './previews.ts'
import type { OpenConnection } from './open-connection.ts'
import { relayChange } from './relay-change.ts'
import { createSender } from './send-messages.ts'
import { changeInChannel, statusRecipients } from './publish.ts'
import { editWindowOf, revokeWindowOf } from '../change-windows.ts'
import { NO_TEMPLATES } from '../no-templates.ts'

const PAIRING_CODE_TTL_MS = 160_000
const MAX_QUERY_SIZE = 50
const EDIT = '1'
const REVOKE = '7'
const PRESENCES = { typing: 'composing', recording: 'recording', paused: 'paused' } as const

/** The kinds whose text is a caption: sent as a text, an edit would remove it from the file. */
const CAPTIONED: ReadonlySet<string> = new Set(['image', 'video', 'document'])

/** Creates the commands of a session. Each call uses the connection that is current at that time. */
export function createCommands(deps: {
  clock: Clock
  logger: Logger
  /** The current connection; null while there is none. */
  line: () => OpenConnection | null
  /** Resolves once a code is offered, with the end of the last one (epoch milliseconds); null if the account is paired. */
  whenCodesOffered: () => Promise<number | null>
  media: WhatsAppMedia
  previews: Previews
  takeTurn: () => Promise<void>
}): NetworkCommands & Pick<NetworkSession, 'send' | 'download'> {
  const { clock, media } = deps
  const sender = createSender({ ...deps, lookUp })

  function requireLine(): OpenConnection {
    const line = deps.line()
    if (!line?.state.paired()) throw new Error('cannot run command: not connected to WhatsApp')
    return line
  }

  async function lookUp({ phones }: { phones: string[] }): Promise<NumberLookup[]> {
    const { socket } = requireLine()
    const found = new Set<string>()
    const forms = [...new Set(phones.flatMap(phoneSpellings))]
    for (let at = 0; at < forms.length; at += MAX_QUERY_SIZE) {
      const answers = await socket.onWhatsApp(...forms.slice(at, at + MAX_QUERY_SIZE))
      if (!answers) throw new Error(`looking up ${forms.length} numbers: WhatsApp sent no result`)
      // A result has the number that was found, which may be another spelling than the one in the query.
      for (const { jid, exists } of answers) {
        const { phone } = toParty([jid])
        if (exists && phone) found.add(phone)
      }
    }
    return Promise.all(
      phones.map(async (input) => {
        // Both spellings may have accounts, of different people.
        const phone = [input, ...phoneSpellings(input)].find((form) => found.has(form))
        if (!phone) return { input, exists: false, phone: null, lid: null }
        const chatId = `${phone}@s.whatsapp.net`
        for (const typed of new Set([input, phone]))
          sender.markExisting(`${typed}@s.whatsapp.net`, chatId)
        const lid = await socket.signalRepository.lidMapping.getLIDForPN(chatId)
        return { input, exists: true, phone, lid: toParty([lid]).lid }
      }),
    )
  }

  function requireWithin(sentAt: number, limit: number): void {
    if (clock.now() - sentAt > limit) throw new NetworkRejection('too_late')
  }

  return {
    send: sender.send,

    lookUp,

    async markRead({ messages }) {
      const line = requireLine()
      const keys: { remoteJid: string; id: string; fromMe: false; participant?: string }[] = []
      for (const [chatId, read] of Map.groupBy(messages, (message) => message.chatId)) {
        const inGroup = chatId.endsWith('@g.us')
        const { of } = await addressingIn(line, chatId)
        const names = new Map<string, string>()
        for (const { waMessageId, sender } of read) {
          const key = { remoteJid: chatId, id: waMessageId, fromMe: false as const }
          if (!inGroup) {
            keys.push(key)
            continue
          }
          const name = `${sender.phone} ${sender.lid}`
          const participant = names.get(name) ?? of(sender)
          names.set(name, participant)
          keys.push({ ...key, participant })
        }
      }
      await line.socket.readMessages(keys)
      return null
    },

    async edit({ chatId, waMessageId, text: asWritten, sentAt, kind, mentions = [] }) {
      requireWithin(sentAt, editWindowOf(chatId))
      const line = requireLine()
      const { baileys } = line
      const addressing = mentions.length > 0 ? await addressingIn(line, chatId) : null
      const text = addressing ? addressMentions(asWritten, mentions, addressing) : asWritten
      const contextInfo = addressing && { mentionedJid: mentionedIn(mentions, addressing) }
      const editedMessage = CAPTIONED.has(kind ?? '')
        ? { [`${kind}Message`]: { caption: text, contextInfo } }
        : { extendedTextMessage: { text, contextInfo } }
      if (isChannel(chatId)) {
        await changeInChannel(line, { chatId, waMessageId }, editedMessage)
        return null
      }
      const { MESSAGE_EDIT } = baileys.proto.Message.ProtocolMessage.Type
      const key = { remoteJid: chatId, fromMe: true, id: waMessageId }
      const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs: clock.now() }
      await relayChange(line, chatId, { protocolMessage }, { edit: EDIT })
      return null
    },

    async revoke({ chatId, waMessageId, sentAt, audience }) {
      requireWithin(sentAt, revokeWindowOf(chatId))
      const line = requireLine()
      const { baileys } = line
      if (isChannel(chatId)) {
        await changeInChannel(line, { chatId, waMessageId }, null)
        return null
      }
      const { REVOKE: type } = baileys.proto.Message.ProtocolMessage.Type
      const protocolMessage = { key: { remoteJid: chatId, fromMe: true, id: waMessageId }, type }
      const recipients = async () =>
        (await line.stored.findRecipients(waMessageId)) ?? (await statusRecipients(line, audience))
      const isPost = chatId === STATUS_CHAT
      const revocation = { edit: REVOKE, ...(isPost ? { recipients: await recipients() } : {}) }
      await relayChange(line, chatId, { protocolMessage }, revocation)
      return null
    },

    ...createMarkCommands(clock, requireLine),

    async showPresence({ chatId, state }) {
      // Where the account publishes, none is shown.
      if (parsePublishedChat(chatId)) return null
      await requireLine().socket.sendPresenceUpdate(PRESENCES[state], chatId)
      return null
    },

    async listBlocked() {
      const { socket, state } = requireLine()
      return (await socket.fetchBlocklist()).map((jid) => state.complete(toParty([jid])))
    },

    async setBlocked({ phone, lid, blocked }) {
      const { socket } = requireLine()
      const jid = lid ?? `${phone}@s.whatsapp.net`
      try {
        await socket.updateBlockStatus(jid, blocked ? 'block' : 'unblock')
      } catch (error) {
        // The engine knows no other name of this person.
        const { output } = error as { output?: { statusCode?: number } }
        throw output?.statusCode === 400 ? new NetworkRejection('unknown') : error
      }
      return null
    },

    async requestHistory({ chatId, before, count }) {
      const { socket } = requireLine()
      const { waMessageId: id, fromMe, at } = before
      await socket.fetchMessageHistory(count, { remoteJid: chatId, id, fromMe }, at)
      return null
    },

    ...createProfileCommands({ line: requireLine, media }),

    async rejectCall({ callId, from }) {
      const { socket, state } = requireLine()
      const caller = from.lid ?? `${from.phone}@s.whatsapp.net`
      // The engine's own function does not tell whether WhatsApp has answered.
      const answer: unknown = await socket.query({
        tag: 'call',
        attrs: { from: state.creds.me?.id ?? '', to: caller },
        content: [
          { tag: 'reject', attrs: { 'call-id': callId, 'call-creator': caller, count: '0' } },
        ],
      })
      if (answer === undefined)
        throw new Error(`rejecting call ${callId}: WhatsApp did not answer in time`)
      return null
    },

    async requestPairingCode({ phone }) {
      const endsAt = await deps.whenCodesOffered()
      const line = deps.line()
      if (endsAt === null || !line || line.state.paired()) return null
      const code = await line.socket.requestPairingCode(phone)
      const shown = `${code.slice(0, 4)}-${code.slice(4)}`
      return { code: shown, expiresAt: Math.min(endsAt, clock.now() + PAIRING_CODE_TTL_MS) }
    },

    ...createGroupCommands(
      () => requireLine().socket,
      (groupId, seconds) => requireLine().state.setTimer(groupId, seconds),
    ),
    ...createJoinRequestCommands(
      () => requireLine().socket,
      (party) => requireLine().state.complete(party),
    ),

    ...createLabelCommands(clock, requireLine),
    ...NO_TEMPLATES,
    download: createDownloader({ clock, media, socket: () => deps.line()?.socket ?? null }),
  }
}
