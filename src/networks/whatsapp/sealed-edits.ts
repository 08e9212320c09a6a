import { createDecipheriv, hkdfSync } from 'node:crypto'
import type { proto, WAMessage } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { Baileys } from './baileys.ts'
import { jidsOf } from './people.ts'

/** Longer than WhatsApp allows a message to be edited. */
const KEPT_MS = 20 * 60_000
/** Two for each message of an author whose phone and LID are known. */
const MAX_KEPT = 2000
const TAG_BYTES = 16
const USE_CASE = 'Message Edit'

/** The secrets of recent messages, by message and author. They are kept in memory, for as long as edits may arrive. */
export type MessageSecrets = Map<string, { secret: Uint8Array; at: number }>

/** One for each address of the author: the other one may become known between a message and its edit. */
const namesOf = (author: Party, id: string) => jidsOf(author).map((jid) => `${jid} ${id}`)

/**
 * Opens edits that clients seal with the secret of the edited message (since 2026). An edit counts only from the author
 * of its message, so the secret is found by both; whether the seal names people by phone or LID shows by trial. Sources:
 * generateMsgSecretKey of whatsmeow, WhiskeySockets/Baileys#2690.
 */
export function createSealedEdits(deps: {
  baileys: Baileys
  clock: Clock
  secrets: MessageSecrets
}) {
  const { baileys, clock, secrets } = deps
  const { Message } = baileys.proto
  const { SecretEncType } = Message.SecretEncryptedMessage
  const { MESSAGE_EDIT } = Message.ProtocolMessage.Type

  /** Keeps the secret of a message. */
  function remember({ key, message }: WAMessage, author: Party): void {
    const secret = message?.messageContextInfo?.messageSecret
    if (!key.id || !secret) return
    const now = clock.monotonic()
    for (const [name, { at }] of secrets) {
      if (secrets.size < MAX_KEPT && now - at < KEPT_MS) break
      secrets.delete(name)
    }
    for (const name of namesOf(author, key.id)) secrets.set(name, { secret, at: now })
  }

  function unseal(
    { encIv, encPayload }: proto.Message.ISecretEncryptedMessage,
    id: string,
    author: Party,
    secret: Uint8Array,
  ): proto.IMessage | null {
    if (!encIv || !encPayload || encPayload.length <= TAG_BYTES) return null
    for (const sender of jidsOf(author))
      for (const editor of jidsOf(author)) {
        const info = `${id}${sender}${editor}${USE_CASE}`
        const key = Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), info, 32))
        try {
          const open = createDecipheriv('aes-256-gcm', key, encIv)
          open.setAuthTag(encPayload.subarray(-TAG_BYTES))
          const sealed = encPayload.subarray(0, -TAG_BYTES)
          return Message.decode(Buffer.concat([open.update(sealed), open.final()]))
        } catch {
          // Sealed with another name of the author, or not by them.
        }
      }
    return null
  }

  /** Returns a message with its sealed edit opened; as it is if it has none, or if the secret is not known. */
  function open(wa: WAMessage, author: Party): WAMessage {
    const sealed = baileys.normalizeMessageContent(wa.message)?.secretEncryptedMessage
    const key = sealed?.targetMessageKey
    if (!sealed || !key?.id || sealed.secretEncType !== SecretEncType.MESSAGE_EDIT) return wa
    const known = namesOf(author, key.id)
      .map((name) => secrets.get(name))
      .find((one) => one !== undefined)
    const opened = known && unseal(sealed, key.id, author, known.secret)
    if (!opened) return wa
    const { editedMessage = opened, timestampMs = null } = opened.protocolMessage ?? {}
    const protocolMessage = { key, type: MESSAGE_EDIT, editedMessage, timestampMs }
    return { ...wa, message: { protocolMessage } }
  }

  return { remember, open }
}
