import { random } from '../../kernel/ids.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import { directChatId } from '../../model/recipient.ts'
import type { PhoneMessage, VirtualPhone } from '../virtual-phones.port.ts'
import type { InboxRow } from './inbox.sql.ts'
import { behaviorOf } from './magic-numbers.ts'
import type { Person } from './route-message.ts'
import type { PhoneRow } from './simulator.sql.ts'

/** Generates a Brazilian mobile number without special behavior. */
export function generateNumber(): string {
  for (;;) {
    const number = `55119${Math.floor(6e7 + random() * 4e7)}`
    if (parsePhone(number) && behaviorOf(number) === 'delivered') return number
  }
}

/** Reduces a phone row to what other participants see of it. */
export function toPerson({ phone, lid, name }: PhoneRow): Person {
  return { phone, lid, name }
}

/** Converts a phone row to the port's VirtualPhone. */
export function toPhone({
  instanceIds: pairedInstanceIds,
  lid: _lid,
  blocked: _blocked,
  ...phone
}: PhoneRow): VirtualPhone {
  return { ...phone, pairedInstanceIds }
}

/** Converts an inbox row to a message as this phone sees it; for its own messages, `peer` is the recipient. */
export function toMessage(
  phone: Pick<VirtualPhone, 'phone' | 'name'>,
  row: InboxRow,
  direction: PhoneMessage['direction'],
  peer: Person | null = null,
): PhoneMessage {
  const { senderPhone, senderLid, senderName, chatId, chatType, starredBy, ...rest } = row
  const from = { phone: senderPhone, lid: senderLid, name: senderName }
  const self: Person = { phone: phone.phone, lid: null, name: phone.name }
  const direct = chatType === 'direct'
  const other = direct ? (peer ?? from) : null
  return {
    ...rest,
    starred: starredBy.includes(phone.phone),
    direction,
    chat: {
      id: direct && peer ? directChatId(peer) : chatId,
      type: chatType,
      name: other?.name ?? null,
    },
    from,
    to: direct ? (peer ?? self) : null,
  }
}
