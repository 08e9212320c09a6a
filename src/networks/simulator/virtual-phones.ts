import type { BusTopics } from '../../bus/bus.port.ts'
import type { Db } from '../../db/sql.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId, newWaMessageId, random } from '../../lib/ids.ts'
import { parsePhone } from '../../lib/recipient.ts'
import type { Message } from '../../records/records.schemas.ts'
import type { InboundMessage, MessageContent } from '../network.port.ts'
import type {
  PhoneRecord,
  PhoneScope,
  VirtualPhone,
  VirtualPhones,
} from '../virtual-phones.port.ts'
import { behaviourOf } from './magic-numbers.ts'
import {
  countPhones,
  deletePhone,
  enqueueEvents,
  findPhones,
  insertInbox,
  insertPhone,
  linkInstance,
  listInbox,
  listPhones,
  readInbox,
  takePairing,
  unlinkPhone,
  type InboxRow,
  type PhoneRow,
  type SimulatorEvent,
} from './simulator.sql.ts'

/** The phones of the simulated network, as their owners use them. Source: contract §3. */
export function createVirtualPhones(deps: {
  clock: Clock
  publish: BusTopics['publish']
}): VirtualPhones {
  const { clock, publish } = deps
  const now = () => new Date(clock.now())

  async function tell(
    db: Db,
    events: [instanceId: string, event: SimulatorEvent][],
  ): Promise<void> {
    if (events.length === 0) return
    const dueAt = now()
    await enqueueEvents(
      db,
      events.map(([instanceId, event]) => ({ instanceId, dueAt, event })),
    )
    db.afterCommit(() => {
      for (const id of new Set(events.map(([instanceId]) => instanceId))) publish('simulator', id)
    })
  }

  async function unpair(db: Db, phoneId: string): Promise<void> {
    await db.transaction(async (tx) => {
      const instanceIds = await unlinkPhone(tx, phoneId)
      await tell(
        tx,
        instanceIds.map((id) => [id, { kind: 'unpaired' }]),
      )
    })
  }

  return {
    create: (db, scope, { name, phone, business, most }) =>
      db.transaction(async (tx) => {
        if ((await countPhones(tx, scope)) >= most) return 'full'
        for (let tries = 0; tries < 20; tries++) {
          const number = phone ?? makeUpNumber()
          const id = newId('phn', clock.now())
          const lid = `${Math.floor(1e14 + random() * 9e14)}@lid`
          const row = { id, phone: number, lid, name, business, now: now() }
          if (await insertPhone(tx, scope, row)) {
            return { id, phone: number, name, business, pairedInstanceIds: [] }
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
    remove: (db, scope, phoneId) =>
      db.transaction(async (tx) => {
        await unpair(tx, phoneId)
        await deletePhone(tx, scope, phoneId)
      }),
    scan: (db, scope, phone, code) =>
      db.transaction(async (tx) => {
        const instanceId = await takePairing(tx, scope, code, now())
        if (!instanceId) return false
        await linkInstance(tx, instanceId, phone.id, now())
        const [row] = await findPhones(tx, scope, [phone.id])
        const { name, business } = phone
        const event = {
          kind: 'paired' as const,
          phone: phone.phone,
          lid: row?.lid ?? '',
          name,
          business,
        }
        await tell(tx, [[instanceId, event]])
        return true
      }),

    write: (db, scope, phone, to, content) =>
      db.transaction(async (tx) => {
        const [self, target] = await findBoth(tx, scope, phone.id, to)
        if (!self || (!target && self.instanceIds.length === 0)) return null
        const at = clock.now()
        const message = compose(self, target, to, content, at)
        const mine = { ...message, chatId: `${to}@s.whatsapp.net`, fromMe: true }
        if (target) await insertInbox(tx, [toInbox(message, target, at)])
        await tell(tx, [
          ...(target?.instanceIds ?? [])
            .filter((id) => !self.instanceIds.includes(id))
            .map((id): [string, SimulatorEvent] => [id, { kind: 'received', message }]),
          ...self.instanceIds.map((id): [string, SimulatorEvent] => [
            id,
            { kind: 'received', message: mine },
          ]),
        ])
        return toRecord(phone, toInbox(message, target ?? self, at), 'outbound', {
          phone: to,
          lid: target?.lid ?? null,
          name: target?.name ?? null,
        })
      }),

    read: (db, scope, phone, waMessageIds) =>
      db.transaction(async (tx) => {
        const rows = await readInbox(tx, phone.id, waMessageIds, now())
        const [self] = await findPhones(tx, scope, [phone.id])
        const chatId = `${phone.phone}@s.whatsapp.net`
        const party = { phone: phone.phone, lid: self?.lid ?? null, name: phone.name }
        const byInstance = Map.groupBy(
          rows.filter((row) => row.fresh && row.instanceId),
          (row) => row.instanceId ?? '',
        )
        await tell(
          tx,
          [...byInstance].map(([instanceId, read]) => {
            const ids = read.map((row) => row.waMessageId)
            const at = clock.now()
            const receipt = {
              waMessageIds: ids,
              chatId,
              status: 'read' as const,
              at,
              party,
              error: null,
            }
            return [instanceId, { kind: 'receipt', receipt }]
          }),
        )
        return rows.map((row) => row.waMessageId)
      }),

    async inbox(db, _scope, phone, limit, offset) {
      const rows = await listInbox(db, phone.id, limit, offset)
      const me = { phone: phone.phone, lid: null, name: phone.name }
      return rows.map((row) => toRecord(phone, row, 'inbound', me))
    },
    unpair: (db, _scope, phone) => unpair(db, phone.id),
  }
}

async function findBoth(db: Db, scope: PhoneScope, phoneId: string, to: string) {
  const rows = await findPhones(db, scope, [phoneId, to])
  const self = rows.find((row) => row.id === phoneId)
  return [self, rows.find((row) => row.phone === to)] as const
}

/** A Brazilian mobile number that means nothing to the simulator. */
function makeUpNumber(): string {
  for (;;) {
    const number = `55119${Math.floor(1e7 + random() * 9e7)}`
    if (parsePhone(number) && behaviourOf(number) === 'delivered') return number
  }
}

function compose(
  self: PhoneRow,
  target: PhoneRow | undefined,
  to: string,
  content: MessageContent,
  at: number,
): InboundMessage {
  const party = { phone: self.phone, lid: self.lid, name: self.name }
  return {
    waMessageId: newWaMessageId(),
    chatId: `${self.phone}@s.whatsapp.net`,
    chatType: 'direct',
    chatName: target?.phone === to ? self.name : null,
    sender: party,
    fromMe: false,
    type: content.type,
    content,
    quoted: null,
    mentions: [],
    at,
    alreadyCounted: true,
  }
}

function toInbox(message: InboundMessage, target: PhoneRow, at: number) {
  const { waMessageId, chatId, sender, content, quoted, mentions } = message
  return {
    id: newId('msg', at),
    phoneId: target.id,
    waMessageId,
    chatId,
    senderPhone: sender.phone,
    senderLid: sender.lid,
    senderName: sender.name,
    instanceId: null,
    type: 'text' as const,
    content: content as MessageContent,
    text: content.type === 'text' ? content.text : null,
    quoted,
    mentions,
    createdAt: new Date(at),
  }
}

function toPhone({ instanceIds: pairedInstanceIds, lid: _lid, ...phone }: PhoneRow): VirtualPhone {
  return { ...phone, pairedInstanceIds }
}

/** A message as this phone sees it. It belongs to no instance but the one that sent it. */
function toRecord(
  phone: VirtualPhone,
  row: Omit<InboxRow, 'readAt' | 'deletedAt'> & Partial<Pick<InboxRow, 'readAt' | 'deletedAt'>>,
  direction: 'inbound' | 'outbound',
  to: Message['to'],
): PhoneRecord {
  const from = { phone: row.senderPhone, lid: row.senderLid, name: row.senderName }
  const other = direction === 'inbound' ? from : to
  return {
    id: row.id,
    instanceId: row.instanceId,
    conversationId: phone.id,
    waMessageId: row.waMessageId,
    direction,
    origin: 'phone',
    type: row.type,
    status: direction === 'inbound' ? 'received' : 'sent',
    chat: { id: `${other?.phone}@s.whatsapp.net`, type: 'direct', name: other?.name ?? null },
    from,
    to,
    text: row.text,
    media: null,
    location: null,
    contacts: null,
    reaction: null,
    poll: null,
    quoted: row.quoted,
    mentions: row.mentions,
    viewOnce: false,
    editedAt: null,
    deletedAt: row.deletedAt?.toISOString() ?? null,
    clientReference: null,
    campaignId: null,
    metadata: {},
    error: null,
    createdAt: row.createdAt.toISOString(),
    sentAt: row.createdAt.toISOString(),
    deliveredAt: null,
    readAt: row.readAt?.toISOString() ?? null,
  }
}
