import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../kernel/recipient.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { pinCopies } from './inbox.sql.ts'
import type { Person } from './route-message.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import { findPhones } from './simulator.sql.ts'

/** A message to pin, by someone of its chat; `byInstance` is the instance that asks, which needs no event. */
export type PinRequest = { waMessageId: string; byInstance: string | null; until: number | null }

/**
 * Pins or unpins a message for everyone in its chat, and tells their instances. Returns false if `from` neither received
 * nor wrote it; throws NetworkRejection for one in a group that they may not edit.
 */
export async function pinForAll(
  deps: { clock: Clock; world: Pick<SimulatedNetwork, 'tell'>; groups: Groups },
  db: Db,
  scope: PhoneScope,
  from: Person,
  { waMessageId, byInstance, until }: PinRequest,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const by = from.phone
    const date = until === null ? null : new Date(until)
    const copies = await pinCopies(tx, scope, { by, waMessageId }, date)
    const group = copies.find(({ chatType }) => chatType === 'group')
    if (group) await deps.groups.requireEditor(tx, scope, group.chatId, from)
    const keys = copies.flatMap(({ phoneId, senderPhone }) => [phoneId, senderPhone])
    const found = await findPhones(tx, scope, [...new Set(keys)])
    const phones = new Map(
      found.flatMap((row) => [[row.id, row] as const, [row.phone, row] as const]),
    )
    // Where each person has the chat: a direct one is named after the other.
    const chats = new Map<string, string>()
    for (const { phoneId, chatId, chatType, senderPhone } of copies) {
      const recipient = phones.get(phoneId)
      if (!recipient) continue
      chats.set(recipient.phone, chatId)
      chats.set(senderPhone, chatType === 'group' ? chatId : directChatId(recipient))
    }
    const at = deps.clock.now()
    const told = [...chats].flatMap(([phone, chatId]) => {
      const ids = (phones.get(phone)?.instanceIds ?? []).filter((id) => id !== byInstance)
      const change = { chatId, waMessageId, by: from, fromMe: phone === by, at }
      return eventEntries(ids, { kind: 'pinned', until, ...change })
    })
    await deps.world.tell(tx, told)
    return copies.length > 0
  })
}
