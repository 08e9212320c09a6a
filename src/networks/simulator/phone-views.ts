import { random } from '../../lib/ids.ts'
import { parsePhone } from '../../lib/recipient.ts'
import type { PhoneMessage, VirtualPhone } from '../virtual-phones.port.ts'
import type { InboxRow } from './inbox.sql.ts'
import { behaviourOf } from './magic-numbers.ts'
import type { Person } from './route-message.ts'
import type { PhoneRow } from './simulator.sql.ts'

/** A Brazilian mobile number that means nothing to the simulator. */
export function makeUpNumber(): string {
  for (;;) {
    const number = `55119${Math.floor(6e7 + random() * 4e7)}`
    if (parsePhone(number) && behaviourOf(number) === 'delivered') return number
  }
}

export function personOf({ phone, lid, name }: PhoneRow): Person {
  return { phone, lid, name }
}

export function toPhone({
  instanceIds: pairedInstanceIds,
  lid: _lid,
  ...phone
}: PhoneRow): VirtualPhone {
  return { ...phone, pairedInstanceIds }
}

/** A message as this phone sees it. */
export function toMessage(
  phone: Pick<VirtualPhone, 'phone' | 'name'>,
  row: InboxRow,
  direction: PhoneMessage['direction'],
): PhoneMessage {
  const { senderPhone, senderLid, senderName, chatId, chatType, ...rest } = row
  const from = { phone: senderPhone, lid: senderLid, name: senderName }
  const name = chatType === 'direct' ? senderName : null
  return {
    ...rest,
    direction,
    chat: { id: chatId, type: chatType, name },
    from,
    to: chatType === 'direct' ? { phone: phone.phone, lid: null, name: phone.name } : null,
  }
}
