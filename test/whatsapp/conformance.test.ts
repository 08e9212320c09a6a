import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import { proto } from 'baileys'
import type { Person } from '../kit/whatsapp-server/person.ts'
import { shareHistory } from '../kit/whatsapp-server/history.ts'
import { setPicture, tellNewIdentity } from '../kit/whatsapp-server/profiles.ts'
import { startWhatsApp, type WhatsAppKit } from '../kit/whatsapp.ts'
import { createSystemClock } from '../../src/kernel/clock.ts'
import type { MessageContent } from '../../src/model/kinds/index.ts'
import { kindNamed } from '../../src/model/kinds/index.ts'
import {
  describeNetwork,
  exampleFile,
  type ConformanceAccount,
} from '../../src/networks/conformance.ts'
import { loadBaileys } from '../../src/networks/whatsapp/baileys.ts'
import { decodeMessage } from '../../src/networks/whatsapp/decode.ts'
import { encodeMessage } from '../../src/networks/whatsapp/encode.ts'
import { WHATSAPP_CAPABILITIES } from '../../src/networks/whatsapp/whatsapp.ts'
import { createWhatsAppMedia, type MediaSource } from '../../src/networks/whatsapp/media.ts'
import type { MediaKind } from '../../src/model/vocabulary.ts'

let started: Promise<WhatsAppKit> | undefined
after(async () => (await started)?.close())

describeNetwork('whatsapp', WHATSAPP_CAPABILITIES, async (): Promise<ConformanceAccount> => {
  const kit = await (started ??= startWhatsApp())
  const { server, quiet } = kit
  const account = await kit.open()
  const { own, ana, heard, credentials } = account
  const baileys = await loadBaileys(null, createSystemClock())
  const clock = createSystemClock()
  const media = createWhatsAppMedia({
    clock,
    outboundClient: kit.egress,
    replacementHost: '127.0.0.1',
  })
  const line = {
    query: async () => ({
      tag: 'iq',
      attrs: {},
      content: [
        {
          tag: 'media_conn',
          attrs: { auth: 'auth', ttl: '3600' },
          content: [{ tag: 'host', attrs: { hostname: server.media.hostname } }],
        },
      ],
    }),
  }
  const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type
  const { PIN_FOR_ALL } = proto.Message.PinInChatMessage.Type
  const about = (waMessageId: string) => ({ remoteJid: own.jid, fromMe: true, id: waMessageId })

  /** Decodes a message that Ana's phone received, and hashes its file. */
  async function show(shown: Person['inbox'][number]) {
    const key = { remoteJid: own.jid, id: shown.waMessageId, fromMe: false }
    const self = { phone: ana.phone, lid: ana.lidJid, name: null }
    const decoded = decodeMessage(baileys, { key, message: shown.message }, self)
    if (decoded?.kind !== 'message') throw new Error(`message ${shown.waMessageId} has no content`)
    const { content, media: sent } = decoded.message
    const bytes = sent && (await buffer(await media.download(sent.source as MediaSource)))
    const sha256 = bytes && createHash('sha256').update(bytes).digest('hex')
    const { waMessageId, deleted, pinned } = shown
    return { waMessageId, content: content as MessageContent, sha256, deleted, pinned }
  }

  async function send(content: MessageContent): Promise<void> {
    const carries = kindNamed(content.type)?.media !== undefined
    const uploaded = carries
      ? await media.upload(line as never, exampleFile(), content.type as MediaKind)
      : null
    const message = {
      waMessageId: 'x',
      chatId: own.jid,
      chatType: 'direct' as const,
      audience: [],
      content,
      media: carries ? exampleFile() : null,
      quoted: null,
      target: null,
      mentions: [],
      typingMs: 0,
    }
    const addressing = { self: ana.jid, of: () => own.jid }
    const self = { addressing, secret: Buffer.alloc(32), expiration: 0 }
    await server.messages.write(ana, own, encodeMessage(message, self, { uploaded }))
    await quiet()
  }

  /** What the account's phone remembers of the chat with Ana. */
  const past: proto.IWebMessageInfo[] = []
  server.messages.hooks.peerRequest = (device, { historySyncOnDemandRequest: asked }) => {
    const older = past.slice(
      0,
      past.findIndex(({ key }) => key?.id === asked?.oldestMsgId),
    )
    const messages = older.slice(-(asked?.onDemandMsgCount ?? 0))
    const type = proto.Message.HistorySyncType.ON_DEMAND
    void shareHistory(server, device, { type, chats: { [asked?.chatJid ?? '']: messages } })
  }

  return {
    reported: heard,
    credentials,
    phone: own.phone,
    unknownPhone: '5511900009999',
    contact: {
      phone: ana.phone,
      chatId: ana.jid,
    },
    get session() {
      return account.session
    },
    async scan(code) {
      server.pairing.scan(own, code)
      await kit.until(() => kit.last(account) === 'CONNECTED', 'the instance to connect')
      const [device] = own.companions.values()
      if (past.length > 0 && device)
        await shareHistory(server, device, { chats: { [ana.jid]: past } })
    },
    contactWrites: async (text) =>
      void (await server.messages.write(ana, own, { conversation: text })),
    async contactWroteBefore(texts) {
      const now = Math.floor(Date.now() / 1000)
      for (const [index, text] of texts.entries()) {
        past.push({
          key: { remoteJid: ana.jid, fromMe: false, id: `3APAST${index}` },
          message: { conversation: text },
          messageTimestamp: now - 1000 + index,
        })
      }
    },
    contactReads: async (ids) => server.messages.read(ana, own, ids),
    contactViews: async (id) => server.messages.read(ana, own, [id], 'read', 'status@broadcast'),
    contactSends: send,
    async contactEdits(waMessageId, text) {
      const protocolMessage = {
        type: MESSAGE_EDIT,
        key: about(waMessageId),
        editedMessage: { conversation: text },
      }
      await server.messages.write(ana, own, { protocolMessage })
    },
    async contactRevokes(waMessageId) {
      const protocolMessage = {
        type: REVOKE,
        key: about(waMessageId),
      }
      await server.messages.write(ana, own, { protocolMessage })
    },
    async contactPins(waMessageId) {
      const pinInChatMessage = {
        type: PIN_FOR_ALL,
        key: about(waMessageId),
        senderTimestampMs: Date.now(),
      }
      const messageContextInfo = { messageAddOnDurationInSecs: 86_400 }
      await server.messages.write(ana, own, { pinInChatMessage, messageContextInfo })
    },
    async contactKeeps(waMessageId) {
      const keepInChatMessage = {
        keepType: proto.KeepType.KEEP_FOR_ALL,
        key: about(waMessageId),
        timestampMs: Date.now(),
      }
      await server.messages.write(ana, own, { keepInChatMessage })
    },
    phoneStars: (waMessageId, starred) =>
      server.appState.change(own, {
        collection: 'regular_high',
        version: 2,
        index: ['star', ana.jid, waMessageId, '0', '0'],
        action: { starAction: { starred } },
      }),
    isStarredOnPhone: async (waMessageId) =>
      server.appState.changes.findLast(
        ({ index }) => index.join() === ['star', ana.jid, waMessageId, '0', '0'].join(),
      )?.action.starAction?.starred ?? false,
    async contactRenames(name) {
      ana.name = name
      await server.messages.write(ana, own, { conversation: 'novo nome' })
    },
    async contactChangesDevice() {
      for (const device of own.companions.values()) tellNewIdentity(ana, device)
    },
    async contactShows({ about, picture }) {
      ana.about = about
      setPicture(server, ana.jid, picture, own.companions.values())
    },
    contactCalls: async () => void server.messages.call(ana, own),
    contactCreatesGroup: async (subject) => server.groups.create(ana, subject, [own]),
    async contactWritesTo(groupId, text) {
      await server.messages.writeTo(ana, groupId, { conversation: text })
    },
    contactFormsCommunity: async (subject, groupIds) =>
      server.groups.formCommunity(ana, subject, groupIds),
    contactReleases: async (groupId, communityId) =>
      server.groups.release(ana, groupId, communityId),
    contactInvites: async (groupId) => server.groups.codeOf(groupId),
    contactAsksToJoin: async (code) => server.groups.askToJoin(ana, code),
    async contactSilences(groupId) {
      server.groups.change(groupId, ana, { tag: 'announcement', attrs: {} })
    },
    contactReceived: () => Promise.all(ana.inbox.map(show)),
    async removeDevice() {
      for (const companion of own.companions.values()) server.remove(companion)
    },
    reopen: account.reopen,
    async whenIdle() {
      await kit.until(() => heard.codes.length + heard.statuses.length > 0, 'the first event')
      await quiet()
      // A part of the history is stored until it is imported.
      while ((await credentials.load('history')).size > 0)
        await new Promise((resolve) => setImmediate(resolve))
    },
  }
})
