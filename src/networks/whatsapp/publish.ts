import type { BinaryNode, proto, WAMessageKey } from 'baileys'
import { STATUS_CHAT } from '../../model/recipient.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { OutboundMessage } from '../network.port.ts'
import { childrenOf, POLL_CREATION } from './binary-node.ts'
import { codeOf } from './groups.ts'
import { toParty } from './people.ts'
import type { OpenConnection } from './open-connection.ts'

/** The attributes with which the owner of a channel edits and deletes a post. Source: whatsmeow's EditAttribute. */
const CHANGES = { edit: '3', revoke: '8' } as const
const NOT_FOUND = '404'

/** Posts a message in a channel. `handle` is that of its file, if it has one. */
export async function publishInChannel(
  { baileys, socket }: OpenConnection,
  { waMessageId: id, chatId: to, content }: OutboundMessage,
  message: proto.IMessage,
  handle: string | undefined,
): Promise<void> {
  const isPlain = content.type === 'text' || content.type === 'poll'
  const mediatype = content.type === 'audio' && content.voice ? 'ptt' : content.type
  const attrs = { to, id, type: isPlain ? content.type : 'media' }
  await socket.sendNode({
    tag: 'message',
    attrs: { ...attrs, ...(handle ? { media_id: handle } : {}) },
    content: [
      plaintext(baileys, message, isPlain ? {} : { mediatype }),
      ...(content.type === 'poll' ? [POLL_CREATION] : []),
    ],
  })
}

/** Changes the text of a post in a channel, or deletes it if `message` is null. */
export async function changeInChannel(
  { baileys, socket }: OpenConnection,
  { chatId: to, waMessageId: id }: { chatId: string; waMessageId: string },
  message: proto.IMessage | null,
): Promise<void> {
  await socket.sendNode({
    tag: 'message',
    attrs: { to, id, type: 'text', edit: message ? CHANGES.edit : CHANGES.revoke },
    content: [plaintext(baileys, message ?? {}, {})],
  })
}

function plaintext(
  baileys: OpenConnection['baileys'],
  message: proto.IMessage,
  attrs: BinaryNode['attrs'],
): BinaryNode {
  return { tag: 'plaintext', attrs, content: baileys.proto.Message.encode(message).finish() }
}

/**
 * Returns the jids that a status post is encrypted for: the audience as far as the account's privacy settings allow, or
 * the people whom these name instead, and the account itself. Source: getStatusBroadcastRecipients of whatsmeow.
 */
export async function statusRecipients(
  { socket, state }: OpenConnection,
  audience: Party[],
): Promise<string[]> {
  const { type, people } = await readStatusPrivacy(socket)
  const namesOf = ({ phone, lid }: Party) => [phone, lid].flatMap((name) => name ?? [])
  const named = new Set(people.flatMap((one) => namesOf(state.complete(one))))
  const allowed =
    type === 'whitelist'
      ? people
      : audience.filter(
          (one) =>
            type !== 'blacklist' || !namesOf(state.complete(one)).some((name) => named.has(name)),
        )
  const self = toParty([state.creds.me?.id, state.creds.me?.lid])
  const jids = [...allowed, self].map(({ phone, lid }) =>
    phone ? `${phone}@s.whatsapp.net` : (lid ?? ''),
  )
  return [...new Set(jids)]
}

/** Returns to whom the last status post went, for posts of earlier versions. */
async function lastStatusRecipients({ state }: OpenConnection): Promise<string[]> {
  const { [STATUS_CHAT]: devices = {} } = await state.keys.get('sender-key-memory', [STATUS_CHAT])
  return [...new Set(Object.keys(devices).map(withoutDevice))]
}

/**
 * Returns the message that a contact could not decrypt and requests again, for the engine to resend it. A status post goes
 * only to those whom it was sent to; the engine does not resend it to a phone, so that is done here.
 */
export async function findRequested(
  line: OpenConnection,
  key: WAMessageKey,
): Promise<proto.IMessage | undefined> {
  const message = await line.stored.findSent(key)
  if (key.remoteJid !== STATUS_CHAT || !message) return message
  const { participant: jid, id: messageId } = key
  if (!jid || !messageId) return undefined
  const recipients = await line.stored.findRecipients(messageId)
  if (!isAmong(line, jid, recipients ?? (await lastStatusRecipients(line)))) return undefined
  if (jid !== withoutDevice(jid)) return message
  await line.socket.assertSessions([jid], true)
  await line.socket.relayMessage(STATUS_CHAT, message, {
    messageId,
    participant: { jid, count: 1 },
  })
  return undefined
}

/** Whether the owner of a device is one of these people, by phone or LID. */
function isAmong({ state }: OpenConnection, jid: string, people: string[]): boolean {
  const { phone, lid } = state.complete(toParty([withoutDevice(jid)]))
  return people.some((name) => {
    const one = state.complete(toParty([name]))
    return (phone !== null && one.phone === phone) || (lid !== null && one.lid === lid)
  })
}

const withoutDevice = (jid: string) => jid.replace(/:\d+@/, '@')

/** Reads whom the account shows its status posts: its contacts, some of them, or only those named. */
async function readStatusPrivacy(
  socket: OpenConnection['socket'],
): Promise<{ type: string; people: Party[] }> {
  const attrs = { to: 's.whatsapp.net', type: 'get', xmlns: 'status' }
  const response = await socket
    .query({ tag: 'iq', attrs, content: [{ tag: 'privacy', attrs: {} }] })
    .catch((error: unknown) => {
      // An account that has never changed these settings has none.
      if (codeOf(error) === NOT_FOUND) return null
      throw error
    })
  const lists = childrenOf(childrenOf(response).find(({ tag }) => tag === 'privacy'))
  const current = lists.find((list) => list.attrs['default'] === 'true') ?? lists[0]
  const people = childrenOf(current).map(({ attrs: { jid } }) => toParty([jid]))
  return { type: current?.attrs['type'] ?? 'contacts', people }
}
