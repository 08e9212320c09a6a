import type { Clock } from '../../kernel/clock.ts'
import { directChatId } from '../../model/recipient.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { NetworkEvent } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { markCopies, starCopies, type MarkedCopy } from './inbox.sql.ts'
import type { Person } from './route-message.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import { findPhones, type PhoneRow } from './simulator.sql.ts'

type Deps = { clock: Clock; world: Pick<SimulatedNetwork, 'queueEvents'>; groups: Groups }
type Phones = Map<string, PhoneRow>

/** The message to mark; `byInstance` is the instance that marks it, which receives no event. */
type MarkRequest = { waMessageId: string; byInstance: string | null }
/** A mark that everyone in the chat sees. */
type SharedMark = { kind: 'pinned'; until: number | null } | { kind: 'kept'; kept: boolean }

/**
 * Pins or keeps a message for everyone in its chat and notifies instances. Returns false if `from` neither received
 * nor wrote it; throws NetworkRejection for one in a group that they may not edit.
 */
export async function markForAll(
  deps: Deps,
  db: Db,
  scope: PhoneScope,
  from: Person,
  { waMessageId, byInstance, mark }: MarkRequest & { mark: SharedMark },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const copies = await markCopies(tx, scope, { by: from.phone, waMessageId }, mark)
    const group = copies.find(({ chatType }) => chatType === 'group')
    if (group) await deps.groups.requireEditor(tx, scope, group.chatId, from)
    const phones = await phonesOf(tx, scope, copies)
    const changes = [...chatsOf(copies, phones)].flatMap(([phone, chatId]) => {
      const at = deps.clock.now()
      const change = { chatId, waMessageId, by: from, fromMe: phone === from.phone, at }
      return tellInstances(phones.get(phone), byInstance, { ...mark, ...change })
    })
    await deps.world.queueEvents(tx, changes)
    return copies.length > 0
  })
}

/** Stars a message for one person only, and notifies their other instances. Returns false as `markForAll` does. */
export async function starForOne(
  deps: Omit<Deps, 'groups'>,
  db: Db,
  scope: PhoneScope,
  self: Person,
  { waMessageId, byInstance, starred }: MarkRequest & { starred: boolean },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const copies = await starCopies(tx, scope, { by: self.phone, waMessageId }, starred)
    const phones = await phonesOf(tx, scope, copies)
    const chatId = chatsOf(copies, phones).get(self.phone)
    if (chatId === undefined) return false
    const star = { kind: 'starred' as const, chatId, waMessageId, starred, at: deps.clock.now() }
    await deps.world.queueEvents(tx, tellInstances(phones.get(self.phone), byInstance, star))
    return true
  })
}

/** The phones that have copies of a message or wrote them, by id and by number. */
async function phonesOf(tx: Db, scope: PhoneScope, copies: MarkedCopy[]): Promise<Phones> {
  const keys = copies.flatMap(({ phoneId, senderPhone }) => [phoneId, senderPhone])
  const found = await findPhones(tx, scope, [...new Set(keys)])
  return new Map(found.flatMap((row) => [[row.id, row] as const, [row.phone, row] as const]))
}

/** Maps each participant's number to the chat id that they see: in a direct chat, that of the other participant. */
function chatsOf(copies: MarkedCopy[], phones: Phones): Map<string, string> {
  const chats = new Map<string, string>()
  for (const { phoneId, chatId, chatType, senderPhone } of copies) {
    const recipient = phones.get(phoneId)
    if (!recipient) continue
    chats.set(recipient.phone, chatId)
    chats.set(senderPhone, chatType === 'group' ? chatId : directChatId(recipient))
  }
  return chats
}

function tellInstances(phone: PhoneRow | undefined, but: string | null, event: NetworkEvent) {
  const ids = (phone?.instanceIds ?? []).filter((id) => id !== but)
  return eventEntries(ids, event)
}
