import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, newWaMessageId } from '../../kernel/ids.ts'
import { directChatId } from '../../model/recipient.ts'
import { showMedia } from '../../model/media-fields.ts'
import { NetworkRejection } from '../network.port.ts'
import type { PhoneMessageDraft, PhoneMessage, PhoneScope } from '../virtual-phones.port.ts'
import { findMessage } from './inbox.sql.ts'
import { lookUp } from './look-up-numbers.ts'
import { toPerson } from './phone-views.ts'
import type { Envelope, QueuedEvent } from './route-message.ts'
import { findPhones, type PhoneRow } from './simulator.sql.ts'
import type { SimulatedNetwork } from './simulated-network.ts'
import { findGroups } from './groups-labels-calls.sql.ts'

/**
 * Creates the function that sends a phone's message. It returns null if the message has no recipient, and throws
 * NetworkRejection if the network rejects it.
 */
export function createPhoneSender({ clock, world }: { clock: Clock; world: SimulatedNetwork }) {
  const now = () => new Date(clock.now())

  return async function write(
    tx: Db,
    scope: PhoneScope,
    self: PhoneRow,
    draft: PhoneMessageDraft,
  ): Promise<(PhoneMessage & { receivedBy: number }) | null> {
    const { content, media, mentions, to } = draft
    const group = to.endsWith('@g.us') ? (await findGroups(tx, scope, [to]))[0] : null
    if (group === undefined) return null
    const [found] = group ? [] : await lookUp(tx, scope, [to])
    const phone = found?.phone ?? to
    const target = group
      ? null
      : ((await findPhones(tx, scope, [phone])).find((row) => row.phone === phone) ?? null)
    if (!group && !target && self.instanceIds.length === 0) return null
    const quoted = await quote(tx, scope, self, draft.quotedWaMessageId)
    const chatId = group ? group.id : directChatId({ phone, lid: null })
    const from = toPerson(self)
    const waMessageId = newWaMessageId()
    const chatType = group ? ('group' as const) : ('direct' as const)
    const envelope = {
      waMessageId,
      from,
      instanceId: null,
      chatId,
      chatType,
      audience: [],
      content,
      media,
      quoted,
      mentions,
    }
    const [routed] = await world.carry(tx, scope, [envelope])
    const refused = routed?.receipts.find(({ error }) => error)
    if (refused) {
      if (!group) throw new NetworkRejection('unknown')
      const isMember = group.members.some(({ phone: member }) => member === self.phone)
      throw new NetworkRejection(isMember ? 'not_admin' : 'not_a_participant')
    }
    return {
      id: newId('msg', clock.now()),
      receivedBy: routed?.otherEvents.filter(isReceived).length ?? 0,
      instanceId: null,
      waMessageId,
      direction: 'outbound',
      chat: {
        id: chatId,
        type: chatType,
        name: group ? group.subject : (target?.name ?? null),
      },
      from,
      to: group ? null : { phone, lid: target?.lid ?? null, name: target?.name ?? null },
      content,
      media:
        media &&
        showMedia({
          ...media,
          status: 'available',
          voice: 'voice' in content && content.voice,
        }),
      quoted: quoted && {
        waMessageId: quoted.waMessageId,
        type: quoted.type,
        text: quoted.text,
        fromMe: quoted.fromMe,
      },
      mentions,
      createdAt: now(),
      readAt: null,
      editedAt: null,
      deletedAt: null,
      pinnedUntil: null,
      starred: false,
      kept: false,
    }
  }
}

/** Whether an event delivers the message to an instance that did not write it. */
const isReceived = ({ event }: QueuedEvent): boolean =>
  event.kind === 'received' && !event.message.fromMe

async function quote(
  db: Db,
  scope: PhoneScope,
  self: PhoneRow,
  id: string | null,
): Promise<Envelope['quoted']> {
  if (!id) return null
  const seen = await findMessage(db, scope, self, id)
  if (!seen) throw new NetworkRejection('unknown')
  const { waMessageId, type, text } = seen
  return { waMessageId, type, text, fromMe: seen.senderPhone === self.phone, by: seen.senderPhone }
}
