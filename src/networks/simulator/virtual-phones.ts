import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, newWaMessageId, random } from '../../kernel/ids.ts'
import { directChatId, isDirectChat } from '../../model/recipient.ts'
import type { Receipt } from '../network-events.port.ts'
import { NetworkRejection } from '../network.port.ts'
import type { PhoneScope, VirtualPhone, VirtualPhones } from '../virtual-phones.port.ts'
import { findMessage, listInbox, markInboxRead, releaseHeld } from './inbox.sql.ts'
import { createCommunities } from './communities.ts'
import type { Groups } from './groups.ts'
import { lookUp } from './look-up-numbers.ts'
import { markForAll, starForOne } from './message-marks.ts'
import { generateNumber, toPerson, toMessage, toPhone } from './phone-views.ts'
import {
  countPhones,
  deletePhone,
  findInstancesKnowing,
  findPhones,
  insertPhone,
  linkInstance,
  listPhones,
  patchPhone,
  setPicture,
  consumePairing,
  unlinkPhone,
  type PhoneRow,
} from './simulator.sql.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import { createPhoneSender } from './send-phone-message.ts'
import { insertCall, listLabels } from './groups-labels-calls.sql.ts'

/** How long an unanswered call rings before it is missed. */
const RING_TIMEOUT_MS = 30_000

/** Creates the operations of the simulated network's phones, as their users perform them (G54). */
export function createVirtualPhones(deps: {
  clock: Clock
  world: SimulatedNetwork
  groups: Groups
}): VirtualPhones {
  const { clock, world, groups } = deps
  const parts = { clock, world, groups }
  const now = () => new Date(clock.now())

  /** Loads the phone's current row; throws NetworkRejection if the phone no longer exists. */
  async function rowOf(
    db: Db,
    scope: PhoneScope,
    phone: Pick<VirtualPhone, 'id'>,
  ): Promise<PhoneRow> {
    const row = (await findPhones(db, scope, [phone.id])).find(({ id }) => id === phone.id)
    if (!row) throw new NetworkRejection('unknown')
    return row
  }

  async function unpair(
    db: Db,
    phoneId: string,
    event: 'unpaired' | 'banned' = 'unpaired',
  ): Promise<void> {
    await db.transaction(async (tx) => {
      const instanceIds = await unlinkPhone(tx, phoneId)
      await world.queueEvents(
        tx,
        instanceIds.map((instanceId) => ({ instanceId, event: { kind: event } })),
      )
    })
  }

  /** Queues receipts for the senders of messages that reached this phone, one per instance and chat. */
  async function report(
    tx: Db,
    self: PhoneRow,
    rows: { waMessageId: string; chatId: string; instanceId: string | null }[],
    status: Receipt['status'],
  ): Promise<void> {
    const { phone, lid, name } = self
    const byChat = Map.groupBy(
      rows.filter((row) => row.instanceId),
      (row) => `${row.instanceId} ${row.chatId}`,
    )
    await world.queueEvents(
      tx,
      [...byChat.values()].map((group) => {
        const [first] = group
        const receipt: Receipt = {
          waMessageIds: group.map((row) => row.waMessageId),
          // For the sender, a direct chat is identified by the recipient.
          chatId: first && !isDirectChat(first.chatId) ? first.chatId : directChatId(self),
          status,
          at: clock.now(),
          party: { phone, lid, name },
          error: null,
        }
        return { instanceId: first?.instanceId ?? '', event: { kind: 'receipt' as const, receipt } }
      }),
    )
  }

  const write = createPhoneSender({ clock, world })
  const communities = createCommunities(parts)

  return {
    create: (db, scope, { name, phone, business, most }) =>
      db.transaction(async (tx) => {
        if ((await countPhones(tx, scope)) >= most) return 'full'
        for (let tries = 0; tries < 20; tries++) {
          const number = phone ?? generateNumber()
          const id = newId('phn', clock.now())
          const lid = `${Math.floor(1e14 + random() * 9e14)}@lid`
          const row = { id, phone: number, lid, name, business, now: now() }
          if (await insertPhone(tx, scope, row)) {
            const state = { online: true, banned: false, pairedInstanceIds: [] }
            return { id, phone: number, name, about: null, business, ...state }
          }
          if (phone) break
        }
        return 'taken'
      }),
    async list(db, scope, limit, offset) {
      return (await listPhones(db, scope, limit, offset)).map(toPhone)
    },
    async find(db, scope, phoneId) {
      const [row] = await findPhones(db, scope, [phoneId])
      return row?.id === phoneId ? toPhone(row) : null
    },
    changeProfile: (db, scope, phone, { picture, ...texts }) =>
      db.transaction(async (tx) => {
        await patchPhone(tx, scope, phone.id, texts)
        if (picture !== undefined) await setPicture(tx, scope, phone.phone, picture)
        const self = await rowOf(tx, scope, phone)
        const ids = await findInstancesKnowing(tx, scope, self)
        const at = clock.now()
        if (texts.name !== undefined)
          await world.queueEvents(
            tx,
            eventEntries(ids, { kind: 'contact', party: toPerson(self), at }),
          )
        if (picture !== undefined) {
          const chatId = directChatId(self)
          await world.queueEvents(tx, eventEntries(ids, { kind: 'picture', chatId, at }))
        }
      }),
    deletePhone: (db, scope, phoneId) =>
      db.transaction(async (tx) => {
        await unpair(tx, phoneId)
        await deletePhone(tx, scope, phoneId)
      }),
    scan: (db, scope, phone, code) =>
      db.transaction(async (tx) => {
        if (phone.banned) throw new NetworkRejection('not_supported')
        const instanceId = await consumePairing(tx, scope, code, now())
        if (!instanceId) return false
        await linkInstance(tx, instanceId, phone.id, now())
        const { lid, name, business, phone: number } = await rowOf(tx, scope, phone)
        const event = { kind: 'paired' as const, phone: number, lid, name, business }
        await world.queueEvents(tx, [{ instanceId, event }])
        return true
      }),
    async getMessage(db, scope, phone, waMessageId) {
      const row = await findMessage(db, scope, phone, waMessageId)
      if (!row) return null
      const { owner, ...seen } = row
      const own = row.senderPhone === phone.phone
      return own ? toMessage(phone, seen, 'outbound', owner) : toMessage(phone, seen, 'inbound')
    },
    sendMessage: (db, scope, phone, draft) =>
      db.transaction(async (tx) => write(tx, scope, await rowOf(tx, scope, phone), draft)),

    async changeMessage(db, scope, phone, waMessageId, what) {
      const self = await rowOf(db, scope, phone)
      const seen = await findMessage(db, scope, self, waMessageId)
      if (!seen || seen.senderPhone !== self.phone || seen.deletedAt) return false
      const chatId = seen.chatType === 'direct' ? null : seen.chatId
      const sentAt = seen.createdAt.getTime()
      const message = { waMessageId, chatId, sentAt, byInstance: null }
      return (await world.change(db, scope, toPerson(self), message, what)) > 0
    },

    async markMessage(db, scope, phone, waMessageId, mark) {
      const self = toPerson(await rowOf(db, scope, phone))
      const request = { waMessageId, byInstance: null }
      if (mark.kind === 'starred')
        return starForOne(parts, db, scope, self, { ...request, starred: mark.starred })
      if (mark.kind === 'kept') return markForAll(parts, db, scope, self, { ...request, mark })
      const until = mark.seconds === null ? null : clock.now() + mark.seconds * 1000
      return markForAll(parts, db, scope, self, { ...request, mark: { kind: 'pinned', until } })
    },

    markRead: (db, scope, phone, waMessageIds) =>
      db.transaction(async (tx) => {
        const rows = await markInboxRead(tx, phone.id, waMessageIds, now())
        const fresh = rows.filter((row) => row.fresh)
        await report(tx, await rowOf(tx, scope, phone), fresh, 'read')
        return rows.map((row) => row.waMessageId)
      }),

    async listInbox(db, _scope, phone, limit, offset) {
      const rows = await listInbox(db, phone.id, limit, offset)
      return rows.map((row) => toMessage(phone, row, 'inbound'))
    },
    unpair: (db, _scope, phone) => unpair(db, phone.id),

    setState: (db, scope, phone, state) =>
      db.transaction(async (tx) => {
        if (state === 'new-device') {
          const self = await rowOf(tx, scope, phone)
          const ids = await findInstancesKnowing(tx, scope, self)
          const event = { kind: 'identity' as const, party: toPerson(self), at: clock.now() }
          return world.queueEvents(tx, eventEntries(ids, event))
        }
        if (state === 'ban') {
          await patchPhone(tx, scope, phone.id, { banned: true })
          return unpair(tx, phone.id, 'banned')
        }
        await patchPhone(tx, scope, phone.id, { online: state === 'online', banned: false })
        if (state === 'offline') return
        const rows = await releaseHeld(tx, phone.id)
        await report(tx, await rowOf(tx, scope, phone), rows, 'delivered')
      }),

    call: (db, scope, phone, to, video) =>
      db.transaction(async (tx) => {
        const [found] = await lookUp(tx, scope, [to])
        const self = await rowOf(tx, scope, phone)
        const target = (await findPhones(tx, scope, [found?.phone ?? to])).find(
          (row) => row.phone === found?.phone,
        )
        const ids = target?.instanceIds.filter((id) => !self.instanceIds.includes(id)) ?? []
        if (!target || ids.length === 0) return null
        const id = newWaMessageId()
        const at = now()
        const call = {
          id,
          fromPhone: self.phone,
          toPhone: target.phone,
          video,
          status: 'ringing' as const,
          at,
        }
        await insertCall(tx, scope, call)
        const from = toPerson(self)
        const rings = {
          kind: 'call' as const,
          callId: id,
          from,
          video,
          group: false,
          at: at.getTime(),
        }
        await world.queueEvents(tx, [
          ...eventEntries(ids, { ...rings, status: 'ringing' }),
          ...eventEntries(ids, { ...rings, status: 'missed' }).map((waiting) => ({
            ...waiting,
            inMs: RING_TIMEOUT_MS,
          })),
        ])
        return { id, from, to: toPerson(target), video, status: 'ringing', at }
      }),

    createGroup: async (db, scope, phone, input) =>
      groups.createGroup(db, scope, toPerson(await rowOf(db, scope, phone)), input, null),
    changeGroup: async (db, scope, phone, input) =>
      groups.changeGroup(db, scope, toPerson(await rowOf(db, scope, phone)), input, null),
    createCommunity: async (db, scope, phone, input) =>
      communities.create(db, scope, toPerson(await rowOf(db, scope, phone)), input),
    moveGroup: async (db, scope, phone, input) =>
      communities.move(db, scope, toPerson(await rowOf(db, scope, phone)), input),
    async groupInvite(db, scope, phone, groupId) {
      const self = toPerson(await rowOf(db, scope, phone))
      return groups.invite(db, scope, self, { groupId, reset: false })
    },
    joinGroup: async (db, scope, phone, code) =>
      groups.join(db, scope, toPerson(await rowOf(db, scope, phone)), code, null),
    async changeParticipants(db, scope, phone, input) {
      const self = toPerson(await rowOf(db, scope, phone))
      return (await groups.changeParticipants(db, scope, self, input, null)).group
    },

    async saveLabel(db, scope, phone, label) {
      const id = await world.saveLabel(db, await rowOf(db, scope, phone), label, null)
      return { id, name: label.name, color: label.color }
    },
    listLabels: (db, phone) => listLabels(db, phone.id),
    deleteLabel: async (db, scope, phone, labelId) =>
      world.deleteLabel(db, await rowOf(db, scope, phone), labelId, null),
    associateLabel: (db, scope, phone, label, chatId, on) =>
      db.transaction(async (tx) => {
        const { instanceIds } = await rowOf(tx, scope, phone)
        const what = {
          kind: 'label_association' as const,
          networkId: label.id,
          chatId,
          on,
          at: clock.now(),
        }
        await world.queueEvents(tx, eventEntries(instanceIds, what))
      }),
  }
}
