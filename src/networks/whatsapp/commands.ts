import { setImmediate } from 'node:timers/promises'
import type { WASocket } from 'baileys'
import type { Clock } from '../../lib/clock.ts'
import { delay } from '../../lib/clock.ts'
import { spellings } from '../../lib/recipient.ts'
import {
  NetworkRefusal,
  type LookedUp,
  type NetworkCommands,
  type NetworkSession,
  type OutboundMessage,
} from '../network.port.ts'
import type { MessageErrorCode } from '../../records/records.schemas.ts'
import { SENT, type AuthState } from './auth-state.ts'
import type { Baileys } from './baileys.ts'
import type { Ear } from './ear.ts'
import { encodeMessage } from './encode.ts'
import { createGroupCommands, refusalOf } from './groups.ts'
import { createLabelCommands } from './labels.ts'
import type { MediaKind, MediaSource, WhatsAppMedia } from './media.ts'
import { toParty } from './people.ts'
import type { Previews } from './previews.ts'
import type { Valve } from './valve.ts'

/** How long after it was sent WhatsApp lets a message be changed and taken back. */
const EDIT_MS = 15 * 60_000
const REVOKE_MS = 60 * 3600_000
const PAIRING_CODE_MS = 160_000
const LARGEST_QUERY = 50
const REMEMBERED = 10_000
/** About as many messages as one statement keeps the keys of. */
const IN_ONE_TURN = 8
const EDIT = '1'
const REVOKE = '7'

type Line = { baileys: Baileys; socket: WASocket; state: AuthState; valve: Valve; ear: Ear }

/** What a session does when it is told to, over the line that it has at that moment. */
export function createCommands(deps: {
  clock: Clock
  /** The line of this moment; null while there is none. */
  line: () => Line | null
  media: WhatsAppMedia
  previews: Previews
}): NetworkCommands & Pick<NetworkSession, 'send' | 'download'> {
  const { clock, media, previews } = deps
  /** Chats that are known to be somebody's. To anybody else the engine sends to nobody and says that all is well. */
  const known = new Set<string>()

  function requireLine(): Line {
    const line = deps.line()
    if (!line?.state.paired()) throw new Error('not connected')
    return line
  }

  async function lookUp({ phones }: { phones: string[] }): Promise<LookedUp[]> {
    const { socket } = requireLine()
    const found = new Map<string, string>()
    const asked = new Map(phones.flatMap((phone) => spellings(phone).map((form) => [form, phone])))
    const forms = [...asked.keys()]
    for (let at = 0; at < forms.length; at += LARGEST_QUERY) {
      const answers = await socket.onWhatsApp(...forms.slice(at, at + LARGEST_QUERY))
      if (!answers) throw new Error('WhatsApp did not answer which numbers it knows')
      // Answers name whom they found, not what was asked: the last eight digits are the same in either form.
      for (const { jid, exists } of answers) {
        const { phone } = toParty([jid])
        if (exists && phone) for (const form of spellings(phone)) found.set(form, phone)
      }
    }
    return Promise.all(
      phones.map(async (input) => {
        const phone = found.get(input) ?? null
        if (!phone) return { input, exists: false, phone: null, lid: null }
        remember(`${phone}@s.whatsapp.net`)
        const lid = await socket.signalRepository.lidMapping.getLIDForPN(`${phone}@s.whatsapp.net`)
        return { input, exists: true, phone, lid: toParty([lid]).lid }
      }),
    )
  }

  function remember(chatId: string): void {
    if (known.size >= REMEMBERED) known.clear()
    known.add(chatId)
  }

  /** Chats of numbers that nobody has. */
  async function findMissing(messages: OutboundMessage[]): Promise<Set<string>> {
    const unsure = messages.flatMap(({ chatId }) =>
      known.has(chatId) ? [] : (toParty([chatId]).phone ?? []),
    )
    if (unsure.length === 0) return new Set()
    const answers = await lookUp({ phones: [...new Set(unsure)] })
    const gone = answers.filter(({ exists }) => !exists)
    return new Set(gone.map(({ input }) => `${input}@s.whatsapp.net`))
  }

  async function sendOne(line: Line, message: OutboundMessage): Promise<void> {
    const { baileys, socket, state, valve } = line
    const { waMessageId: messageId, chatId } = message
    const phone = toParty([state.creds.me?.id]).phone ?? ''
    const secret = Buffer.from(state.creds.advSecretKey, 'base64')
    const { media: file, content: said } = message
    const uploaded = file ? await media.upload(socket, file, said.type as MediaKind) : null
    const linked = said.type === 'text' && said.linkPreview !== false
    const preview = linked ? await previews.find(said.text) : null
    const content = encodeMessage(message, { phone, secret }, { uploaded, preview })
    // Kept before it leaves: a contact who cannot read it asks for it again.
    valve.keys({
      [SENT]: { [messageId]: Buffer.from(baileys.proto.Message.encode(content).finish()) },
    })
    await socket.relayMessage(chatId, content, { messageId })
  }

  function fail(waMessageId: string, chatId: string, code: MessageErrorCode) {
    requireLine().ear.report({
      ...{ waMessageIds: [waMessageId], chatId, status: 'failed', at: clock.now(), party: null },
      error: { code, retryable: false },
    })
  }

  function check(sentAt: number, limit: number): void {
    if (clock.now() - sentAt > limit) throw new NetworkRefusal('too_late')
  }

  return {
    async send(messages) {
      const missing = await findMissing(messages)
      for (const [index, message] of messages.entries()) {
        const { waMessageId, chatId, typingMs } = message
        if (missing.has(chatId)) {
          fail(waMessageId, chatId, 'NUMBER_NOT_ON_NETWORK')
          continue
        }
        if (typingMs > 0) {
          await requireLine().socket.sendPresenceUpdate('composing', chatId)
          await delay(clock, typingMs)
        }
        try {
          await sendOne(requireLine(), message)
          // Nothing of it waits for anything: a full batch would keep everybody else waiting.
          if (index % IN_ONE_TURN === 0) await setImmediate()
        } catch (error) {
          const refusal = error instanceof NetworkRefusal ? error : refusalOf(error)
          if (!refusal) throw error
          const outside = refusal.reason === 'not_a_participant'
          fail(waMessageId, chatId, outside ? 'NOT_A_PARTICIPANT' : 'UNKNOWN')
        }
      }
    },

    lookUp,

    async markRead({ messages }) {
      const { socket } = requireLine()
      await socket.readMessages(
        messages.map(({ chatId, waMessageId, sender }) => ({
          ...{ remoteJid: chatId, id: waMessageId, fromMe: false },
          ...(chatId.endsWith('@g.us')
            ? { participant: sender.lid ?? `${sender.phone}@s.whatsapp.net` }
            : {}),
        })),
      )
      return null
    },

    async edit({ chatId, waMessageId, text, sentAt }) {
      check(sentAt, EDIT_MS)
      const { baileys, socket } = requireLine()
      const { MESSAGE_EDIT } = baileys.proto.Message.ProtocolMessage.Type
      const key = { remoteJid: chatId, fromMe: true, id: waMessageId }
      const editedMessage = { extendedTextMessage: { text } }
      const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs: clock.now() }
      const additionalAttributes = { edit: EDIT }
      await socket.relayMessage(chatId, { protocolMessage }, { additionalAttributes })
      return null
    },

    async revoke({ chatId, waMessageId, sentAt }) {
      check(sentAt, REVOKE_MS)
      const { baileys, socket } = requireLine()
      const { REVOKE: type } = baileys.proto.Message.ProtocolMessage.Type
      const protocolMessage = { key: { remoteJid: chatId, fromMe: true, id: waMessageId }, type }
      const additionalAttributes = { edit: REVOKE }
      await socket.relayMessage(chatId, { protocolMessage }, { additionalAttributes })
      return null
    },

    async rejectCall({ callId, from }) {
      const { socket } = requireLine()
      await socket.rejectCall(callId, from.lid ?? `${from.phone}@s.whatsapp.net`)
      return null
    },

    async requestPairingCode({ phone }) {
      const line = deps.line()
      if (!line || line.state.paired()) return null
      const code = await line.socket.requestPairingCode(phone)
      const shown = `${code.slice(0, 4)}-${code.slice(4)}`
      return { code: shown, expiresAt: clock.now() + PAIRING_CODE_MS }
    },

    ...createGroupCommands(() => requireLine().socket),

    ...createLabelCommands(clock, requireLine),
    download: (source) => media.download(source as MediaSource),
  }
}
