import type { BusTopics } from '../../bus/bus.port.ts'
import type { Db } from '../../db/sql.ts'
import type { Clock } from '../../lib/clock.ts'
import { newId, random } from '../../lib/ids.ts'
import type { Participant } from '../../records/records.schemas.ts'
import { NetworkRefusal, type GroupState, type Happening, type LookedUp } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { changeCopies, insertInbox } from './inbox.sql.ts'
import { behaviourOf } from './magic-numbers.ts'
import { routeMessage, type Envelope, type Person, type Routed } from './route-message.ts'
import { enqueueEvents, findPhones, type PhoneRow, type SimulatorEvent } from './simulator.sql.ts'
import {
  deleteLabel,
  dropMembers,
  findGroups,
  insertGroup,
  putMembers,
  saveLabel,
  updateGroup,
  type WorldGroup,
} from './world.sql.ts'

/** How long after it was sent a message can be changed and taken back, as on WhatsApp. */
const EDIT_MS = 15 * 60_000
const REVOKE_MS = 60 * 3600_000

export type GroupAction = 'add' | 'remove' | 'promote' | 'demote' | 'leave'
export type World = ReturnType<typeof createWorld>

/** The simulated network itself: what happens in it is the same whether an instance or a person does it. */
export function createWorld(deps: { clock: Clock; publish: BusTopics['publish'] }) {
  const { clock, publish } = deps
  const now = () => new Date(clock.now())

  /** Leaves something for instances to hear. */
  async function tell(
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
      for (const id of new Set(events.map(({ instanceId }) => instanceId))) publish('simulator', id)
    })
  }

  const happening = (instanceIds: string[], what: Happening) =>
    instanceIds.map((instanceId) => ({
      instanceId,
      event: { kind: 'happening' as const, happening: what },
    }))

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

  /** Carries messages to whom they are for, in this order. */
  async function carry(db: Db, scope: PhoneScope, envelopes: Envelope[]): Promise<Routed[]> {
    const keys = envelopes.flatMap(({ chatId, from }) => [
      chatId.replace(/@s\.whatsapp\.net$/, ''),
      from.phone,
    ])
    const groupIds = envelopes.flatMap(({ chatId, chatType }) =>
      chatType === 'group' ? [chatId] : [],
    )
    const known = await findKnown(db, scope, keys, [...new Set(groupIds)])
    const at = clock.now()
    const routed = envelopes.map((envelope) => routeMessage(envelope, known, at))
    const inbox = routed.flatMap((one) => one.inbox)
    const waiting = routed.flatMap((one) => [...one.later, ...one.waiting])
    if (inbox.length > 0 || waiting.length > 0) {
      await db.transaction(async (tx) => {
        if (inbox.length > 0) await insertInbox(tx, inbox)
        await tell(tx, waiting)
      })
    }
    return routed
  }

  /** Changes or takes back a message wherever it arrived. Answers in how many inboxes it was. */
  async function change(
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
    const limit = what === 'deleted' ? REVOKE_MS : EDIT_MS
    if (clock.now() - message.sentAt > limit) throw new NetworkRefusal('too_late')
    return db.transaction(async (tx) => {
      const { waMessageId } = message
      const copies = await changeCopies(
        tx,
        scope,
        { senderPhone: from.phone, waMessageId },
        what,
        now(),
      )
      const keys = [from.phone, ...copies.map(({ phoneId }) => phoneId)]
      const { phones } = await findKnown(tx, scope, keys, [])
      const at = clock.now()
      const told = (chatId: string): Happening =>
        what === 'deleted'
          ? { kind: 'deleted', chatId, waMessageId, by: from, at }
          : { kind: 'edited', chatId, waMessageId, text: what.text, at }
      const mine = phones.get(from.phone)?.instanceIds ?? []
      const others = copies.flatMap(({ phoneId, chatId }) =>
        happening(
          (phones.get(phoneId)?.instanceIds ?? []).filter((id) => !mine.includes(id)),
          told(chatId),
        ),
      )
      const own = mine.filter((id) => id !== message.byInstance)
      await tell(tx, [
        ...others,
        ...happening(own, told(message.chatId ?? copies[0]?.chatId ?? '')),
      ])
      return copies.length
    })
  }

  /** The number as this network writes it: that of a virtual phone, with or without the ninth digit, goes first. */
  async function lookUp(db: Db, scope: PhoneScope, inputs: string[]): Promise<LookedUp[]> {
    const rows = await findPhones(db, scope, inputs.flatMap(spellings))
    const known = new Map(rows.map((row) => [row.phone, row]))
    return inputs.map((input) => {
      const [row] = spellings(input).flatMap((phone) => known.get(phone) ?? [])
      const phone = row?.phone ?? withNinthDigit(input)
      const exists = behaviourOf(phone) !== 'not_on_network'
      return exists
        ? { input, exists, phone, lid: row?.lid ?? null }
        : { input, exists, phone: null, lid: null }
    })
  }

  async function requireGroup(tx: Db, scope: PhoneScope, groupId: string, actor: Person) {
    const [group] = await findGroups(tx, scope, [groupId])
    if (!group) throw new NetworkRefusal('unknown')
    const role = group.members.find(({ phone }) => phone === actor.phone)?.role
    if (!role) throw new NetworkRefusal('not_a_participant')
    return { group, role }
  }

  /** The instances of a group's members, but not the one that acts. */
  async function instancesOf(tx: Db, scope: PhoneScope, phones: string[], but: string | null) {
    const rows = await findPhones(tx, scope, phones)
    return rows.flatMap((row) =>
      row.instanceIds.filter((id) => id !== but).map((id) => ({ id, row })),
    )
  }

  return {
    tell,
    happening,
    carry,
    change,
    lookUp,

    async createGroup(
      db: Db,
      scope: PhoneScope,
      owner: Person,
      input: { subject: string; description: string | null; participants: string[] },
      byInstance: string | null,
    ): Promise<GroupState> {
      return db.transaction(async (tx) => {
        const found = await lookUp(tx, scope, input.participants)
        const phones = found.flatMap(({ phone }) => (phone && phone !== owner.phone ? [phone] : []))
        const id = `${Math.floor(12e16 + random() * 1e16)}@g.us`
        const { subject, description } = input
        await insertGroup(tx, scope, {
          id,
          subject,
          description,
          ownerPhone: owner.phone,
          now: now(),
        })
        await putMembers(tx, id, [owner.phone], 'superadmin')
        await putMembers(tx, id, phones, 'member')
        const [group] = await findGroups(tx, scope, [id])
        if (!group) throw new Error('the group is not there')
        const state = toState(group)
        // They are told of a group of one, and then that they and the others were added.
        const before = {
          ...state,
          participants: state.participants.filter(({ phone }) => phone === owner.phone),
        }
        const added = state.participants.filter(({ phone }) => phone !== owner.phone)
        const at = clock.now()
        for (const { id: instanceId } of await instancesOf(
          tx,
          scope,
          [owner.phone, ...phones],
          byInstance,
        )) {
          await tell(tx, [
            ...happening([instanceId], { kind: 'group', group: before, at }),
            ...happening([instanceId], {
              ...{
                kind: 'participants',
                groupId: id,
                action: 'add',
                actor: owner,
                participants: added,
                at,
              },
            }),
          ])
        }
        return state
      })
    },

    async changeGroup(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      input: { groupId: string; subject?: string; description?: string | null },
      byInstance: string | null,
    ): Promise<GroupState> {
      const { groupId, ...changed } = input
      return db.transaction(async (tx) => {
        const { group } = await requireGroup(tx, scope, groupId, actor)
        const texts = {
          subject: changed.subject ?? group.subject,
          description: changed.description === undefined ? group.description : changed.description,
        }
        await updateGroup(tx, scope, groupId, texts)
        const phones = group.members.flatMap(({ phone }) => phone ?? [])
        const ids = (await instancesOf(tx, scope, phones, byInstance)).map(({ id }) => id)
        const what: Happening = {
          kind: 'group_changed',
          groupId,
          actor,
          ...changed,
          at: clock.now(),
        }
        await tell(tx, happening(ids, what))
        return toState({ ...group, ...texts })
      })
    },

    /** Answers those whom it concerned, and the group as it is now. */
    async changeParticipants(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      input: { groupId: string; action: GroupAction; participants: string[] },
      byInstance: string | null,
    ): Promise<{ concerned: Participant[]; group: GroupState }> {
      const { groupId, action } = input
      return db.transaction(async (tx) => {
        const { group, role } = await requireGroup(tx, scope, groupId, actor)
        if (action !== 'leave' && role === 'member') throw new NetworkRefusal('not_admin')
        const found = await lookUp(tx, scope, input.participants)
        const phones =
          action === 'leave' ? [actor.phone] : found.flatMap(({ phone }) => phone ?? [])
        const inGroup = new Set(group.members.map(({ phone }) => phone))
        const concernedPhones = phones.filter((phone) => inGroup.has(phone) === (action !== 'add'))
        if (action === 'remove' || action === 'leave')
          await dropMembers(tx, groupId, concernedPhones)
        else
          await putMembers(tx, groupId, concernedPhones, action === 'promote' ? 'admin' : 'member')
        const [after] = await findGroups(tx, scope, [groupId])
        const state = toState(after ?? group)
        const among = (participants: Participant[]) =>
          participants.filter(({ phone }) => phone && concernedPhones.includes(phone))
        const gone = action === 'remove' || action === 'leave'
        const concerned = among(gone ? group.members : state.participants)
        const at = clock.now()
        const everybody = [...inGroup, ...concernedPhones].flatMap((phone) => phone ?? [])
        for (const { id, row } of await instancesOf(tx, scope, everybody, byInstance)) {
          const fresh = action === 'add' && concernedPhones.includes(row.phone)
          await tell(tx, [
            ...(fresh ? happening([id], { kind: 'group', group: toState(group), at }) : []),
            ...happening([id], {
              ...{ kind: 'participants', groupId, action, actor, participants: concerned, at },
            }),
          ])
        }
        return { concerned, group: state }
      })
    },

    /** Makes or changes a label of a business phone; its instances hear of it, but not the one that did it. */
    async saveLabel(
      db: Db,
      phone: PhoneRow,
      label: { id: string | null; name: string; color: string },
      byInstance: string | null,
    ): Promise<string> {
      if (!phone.business) throw new NetworkRefusal('not_business')
      return db.transaction(async (tx) => {
        const id = label.id ?? newId('lab', clock.now())
        const { name, color } = label
        if (!(await saveLabel(tx, phone.id, { id, name, color })))
          throw new NetworkRefusal('unknown')
        const ids = phone.instanceIds.filter((one) => one !== byInstance)
        const at = clock.now()
        await tell(
          tx,
          happening(ids, { kind: 'label', networkId: id, name, color, deleted: false, at }),
        )
        return id
      })
    },

    async deleteLabel(
      db: Db,
      phone: PhoneRow,
      labelId: string,
      byInstance: string | null,
    ): Promise<void> {
      await db.transaction(async (tx) => {
        const gone = await deleteLabel(tx, phone.id, labelId)
        if (!gone) throw new NetworkRefusal('unknown')
        const { id: networkId, name, color } = gone
        const ids = phone.instanceIds.filter((one) => one !== byInstance)
        const at = clock.now()
        await tell(tx, happening(ids, { kind: 'label', networkId, name, color, deleted: true, at }))
      })
    },
  }
}

export function toState(group: WorldGroup): GroupState {
  const { id: groupId, subject, description, ownerPhone, members, createdAt } = group
  const owner = members.find(({ phone }) => phone === ownerPhone)
  return {
    groupId,
    subject,
    description,
    owner: owner
      ? { phone: owner.phone, lid: owner.lid, name: owner.name }
      : { phone: ownerPhone, lid: null, name: null },
    participants: members,
    createdAt: createdAt.getTime(),
  }
}

const BRAZILIAN_MOBILE = /^(55[1-9]\d)(9?)([6-9]\d{7})$/

/** The two ways to write a Brazilian mobile number, the way it was asked for first. */
function spellings(input: string): string[] {
  const match = BRAZILIAN_MOBILE.exec(input)
  if (!match) return [input]
  const [, area = '', nine = '', rest = ''] = match
  return [input, nine === '' ? `${area}9${rest}` : `${area}${rest}`]
}

/** On this network numbers that are nobody's have their ninth digit. */
function withNinthDigit(input: string): string {
  const match = BRAZILIAN_MOBILE.exec(input)
  return match ? `${match[1]}9${match[3]}` : input
}
