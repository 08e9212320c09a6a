import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import { proto } from 'baileys'
import type { Companion } from './person.ts'
import type { WhatsAppServer } from './server.ts'

/** A part of the history that a phone shares with a device. */
export type HistoryPart = {
  type?: proto.Message.HistorySyncType
  /** Messages by chat. */
  chats: Record<string, proto.IWebMessageInfo[]>
  names?: Record<string, string>
  /** Inside the notification instead of on the media host. */
  inline?: boolean
}

let parts = 0

/** A phone shares a part of its history with a device. Returns the path of the file. */
export async function shareHistory(
  server: WhatsAppServer,
  to: Companion,
  part: HistoryPart,
): Promise<string> {
  const { HistorySyncType, ProtocolMessage } = proto.Message
  const { type = HistorySyncType.RECENT, chats, names = {}, inline = false } = part
  const history = proto.HistorySync.encode({
    conversations: Object.entries(chats).map(([id, messages]) => ({
      id,
      messages: messages.map((message) => ({ message })),
    })),
    pushnames: Object.entries(names).map(([id, pushname]) => ({ id, pushname })),
  }).finish()
  const bytes = deflateSync(history)
  const mediaKey = randomBytes(32)
  const sealed = seal(bytes, mediaKey)
  const directPath = `/v/history/${++parts}`
  if (!inline) server.media.files.set(directPath, sealed)
  await server.messages.writePeer(to.person, to, {
    protocolMessage: {
      type: ProtocolMessage.Type.HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: {
        syncType: type,
        fileLength: bytes.length,
        ...(inline
          ? { initialHistBootstrapInlinePayload: bytes }
          : {
              mediaKey,
              directPath,
              fileSha256: createHash('sha256').update(bytes).digest(),
              fileEncSha256: createHash('sha256').update(sealed).digest(),
            }),
      },
    },
  })
  return directPath
}

function seal(bytes: Buffer, mediaKey: Buffer): Buffer {
  const keys = Buffer.from(
    hkdfSync('sha256', mediaKey, Buffer.alloc(0), 'WhatsApp History Keys', 112),
  )
  const iv = keys.subarray(0, 16)
  const cipher = createCipheriv('aes-256-cbc', keys.subarray(16, 48), iv)
  const encrypted = Buffer.concat([cipher.update(bytes), cipher.final()])
  const mac = createHmac('sha256', keys.subarray(48, 80)).update(iv).update(encrypted).digest()
  return Buffer.concat([encrypted, mac.subarray(0, 10)])
}
