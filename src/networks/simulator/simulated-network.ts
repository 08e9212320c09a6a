import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { directChatId } from '../../model/recipient.ts'
import { STATUS_CHAT } from '../../model/recipient.ts'
import type { NetworkEvent } from '../network-events.port.ts'
import { editWindowOf, revokeWindowOf } from '../change-windows.ts'
import { NetworkRejection } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { updateCopies, insertInbox } from './inbox.sql.ts'
import { routeMessage, type Envelope, type Person, type RoutedMessage } from './route-message.ts'
import { enqueueEvents, findPhones, type PhoneRow, type SimulatorEvent } from './simulator.sql.ts'
import { deleteLabel, findGroups, saveLabel } from './groups-labels-calls.sql.ts'

/** The operations that `createSimulatedNetwork` returns. */
export type SimulatedNetwork = ReturnType<typeof createSimulatedNetwork>

/** Returns queue entries that deliver the event to each of these instances. */
export const eventEntries = (instanceIds: string[], what: NetworkEvent) =>
  instanceIds.map((instanceId) => ({
    instanceId,
    event: { kind: 'happening' as const, happening: what },
  }))

/** Creates the core of the simulated network, which instances and virtual phones share. */
export function createSimulatedNetwork(deps: { clock: Clock; publish: BusTopics['publish'] }) {
  const { clock, publish } = deps
  const now = () => new Date(clock.now())

  /** Queues events for instances, due in `inMs` milliseconds, and wakes their nodes after the commit. */
  async function queueEvents(
    tx: Db,
    waiting: { instanceId: string; inMs?: number; event: SimulatorEvent }[],
  ): Promise<void> {
    if (waiting.length === 0) return
    const at = clock.now()
    const events = waiting.map(({ instanceId, inMs = 0, event }) => ({
      instanceId,
      dueAt: new Date(at + inMs),
      event,
    }))
    await enqueueEvents(tx, events)
    tx.afterCommit(() => {
      for (const id of new Set(events.map(({ instanceId }) => instanceId)))
        publish('simulator', { instanceId: id })
    })
  }

  async function findKnown(db: Db, scope: PhoneScope, keys: string[], groupIds: string[]) {
    const found = groupIds.length > 0 ? await findGroups(db, scope, groupIds) : []
    const members = found.flatMap((group) => group.members.flatMap(({ phone }) => phone ?? []))
    const rows = await findPhones(db, scope, [...new Set([...keys, ...members])])
    return {
      phones: new Map(
        rows.flatMap((row) => [
          [row.phone, row] as const,
          [row.lid, row] as const,
          [row.id, row] as const,
        ]),
      ),
      groups: new Map(found.map((group) => [group.id, group])),
    }
  }

  /** Routes messages to their recipients, in order; the caller reports the returned receipts. */
  async function routeMessages(
    db: Db,
    scope: PhoneScope,
    envelopes: Envelope[],
  ): Promise<RoutedMessage[]> {
    const keys = envelopes.flatMap(({ chatId, from, audience }) => [
      chatId.replace(/@s\.whatsapp\.net$/, ''),
      from.phone,
      ...audience,
    ])
    const groupIds = envelopes.flatMap(({ chatId, chatType }) =>
      chatType === 'group' ? [chatId] : [],
    )
    const known = await findKnown(db, scope, keys, [...new Set(groupIds)])
    const at = clock.now()
    const routed = envelopes.map((envelope) => routeMessage(envelope, known, at))
    const inbox = routed.flatMap((one) => one.inbox)
    const waiting = routed.flatMap((one) => [...one.senderEvents, ...one.otherEvents])
    if (inbox.length > 0 || waiting.length > 0) {
      await db.transaction(async (tx) => {
        if (inbox.length > 0) await insertInbox(tx, inbox)
        await queueEvents(tx, waiting)
      })
    }
    return routed
  }

  /** Edits or deletes a message in every inbox that has it. Returns the number of inboxes changed. */
  async function changeMessage(
    db: Db,
    scope: PhoneScope,
    from: Person,
    message: {
      waMessageId: string
      chatId: string | null
      sentAt: number
      byInstance: string | null
    },
    what: { text: string } | 'deleted',
  ): Promise<number> {
    const windowOf = what === 'deleted' ? revokeWindowOf : editWindowOf
    if (clock.now() - message.sentAt > windowOf(message.chatId ?? ''))
      throw new NetworkRejection('too_late')
    return db.transaction(async (tx) => {
      const { waMessageId } = message
      const copies = await updateCopies(
        tx,
        scope,
        { senderPhone: from.phone, waMessageId },
        what,
        now(),
      )
      const keys = [from.phone, ...copies.map(({ phoneId }) => phoneId)]
      const { phones } = await findKnown(tx, scope, keys, [])
      const at = clock.now()
      const toEvent = (chatId: string, fromMe: boolean): NetworkEvent => {
        const change = { chatId, waMessageId, by: from, fromMe, at }
        return what === 'deleted'
          ? { kind: 'deleted', ...change }
          : { kind: 'edited', text: what.text, ...change }
      }
      const mine = phones.get(from.phone)?.instanceIds ?? []
      // Instances do not receive the status posts of others, nor those that their own phone writes elsewhere.
      if (message.chatId === STATUS_CHAT) return copies.length
      const others = copies.flatMap(({ phoneId, chatId }) =>
        eventEntries(
          (phones.get(phoneId)?.instanceIds ?? []).filter((id) => !mine.includes(id)),
          toEvent(chatId, false),
        ),
      )
      const own = mine.filter((id) => id !== message.byInstance)
      // For the sender, a direct chat is identified by the recipient.
      const recipient = phones.get(copies[0]?.phoneId ?? '')
      const ownChat = message.chatId ?? (recipient ? directChatId(recipient) : '')
      await queueEvents(tx, [...others, ...eventEntries(own, toEvent(ownChat, true))])
      return copies.length
    })
  }

  return {
    queueEvents,
    carry: routeMessages,
    change: changeMessage,

    /** Creates or updates a label of a business phone, notifies its instances except `byInstance`, returns the id. */
    async saveLabel(
      db: Db,
      phone: PhoneRow,
      label: { id: string | null; name: string; color: string },
      byInstance: string | null,
    ): Promise<string> {
      if (!phone.business) throw new NetworkRejection('not_business')
      return db.transaction(async (tx) => {
        const id = label.id ?? newId('lab', clock.now())
        const { name, color } = label
        if (!(await saveLabel(tx, phone.id, { id, name, color })))
          throw new NetworkRejection('unknown')
        const ids = phone.instanceIds.filter((one) => one !== byInstance)
        const at = clock.now()
        await queueEvents(
          tx,
          eventEntries(ids, { kind: 'label', networkId: id, name, color, deleted: false, at }),
        )
        return id
      })
    },

    /** Deletes a label and notifies the phone's instances except `byInstance`. */
    async deleteLabel(
      db: Db,
      phone: PhoneRow,
      labelId: string,
      byInstance: string | null,
    ): Promise<void> {
      await db.transaction(async (tx) => {
        const gone = await deleteLabel(tx, phone.id, labelId)
        if (!gone) throw new NetworkRejection('unknown')
        const { id: networkId, name, color } = gone
        const ids = phone.instanceIds.filter((one) => one !== byInstance)
        const at = clock.now()
        await queueEvents(
          tx,
          eventEntries(ids, { kind: 'label', networkId, name, color, deleted: true, at }),
        )
      })
    },
  }
}
