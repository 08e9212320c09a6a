import { randomBytes } from 'node:crypto'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { random } from '../../kernel/ids.ts'
import { INITIAL_SETTINGS, type GroupSettings } from '../../model/group-settings.schemas.ts'
import type { Participant } from '../../model/records.schemas.ts'
import type { NetworkEvent, GroupState } from '../network-events.port.ts'
import { NetworkRejection } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { admit } from './admit.ts'
import { admitToCommunity } from './community-members.ts'
import { lookUp } from './look-up-numbers.ts'
import type { Person } from './route-message.ts'
import { findPhones } from './simulator.sql.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import {
  deleteMembers,
  findGroups,
  findGroupsOf,
  findInvitedGroups,
  insertGroup,
  insertJoinRequest,
  inviteCode,
  listLabels,
  upsertMembers,
  updateGroup,
  type SimulatedGroup,
} from './groups-labels-calls.sql.ts'
import type { GroupAction } from '../../model/vocabulary.ts'

/** The group operations that `createGroups` returns. */
export type Groups = ReturnType<typeof createGroups>
/** An id for a new group. */
export const newGroupId = (): string => `${Math.floor(12e16 + random() * 1e16)}@g.us`

/** Creates the group operations of the simulated network. A rejected operation throws NetworkRejection. */
export function createGroups(deps: { clock: Clock; world: SimulatedNetwork }) {
  const { clock, world } = deps
  const { queueEvents } = world
  const now = () => new Date(clock.now())

  async function getGroupAs(tx: Db, scope: PhoneScope, groupId: string, actor: Person) {
    const [group] = await findGroups(tx, scope, [groupId])
    if (!group) throw new NetworkRejection('unknown')
    const role = group.members.find(({ phone }) => phone === actor.phone)?.role
    if (!role) throw new NetworkRejection('not_a_participant')
    return { group, role }
  }

  /** Returns a group that the actor may edit. */
  async function requireEditor(tx: Db, scope: PhoneScope, groupId: string, actor: Person) {
    const found = await getGroupAs(tx, scope, groupId, actor)
    const { onlyAdminsEdit } = found.group.settings ?? INITIAL_SETTINGS
    if (onlyAdminsEdit && found.role === 'member') throw new NetworkRejection('not_admin')
    return found
  }

  /** Returns the instances paired with these phones, except `but`, the one that acted. */
  async function instancesOf(tx: Db, scope: PhoneScope, phones: string[], but: string | null) {
    const rows = await findPhones(tx, scope, phones)
    return rows.flatMap((row) =>
      row.instanceIds.filter((id) => id !== but).map((id) => ({ id, row })),
    )
  }

  return {
    getGroupAs,
    requireEditor,
    toState,

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
        const id = newGroupId()
        const { subject, description } = input
        await insertGroup(tx, scope, {
          id,
          subject,
          description,
          ownerPhone: owner.phone,
          now: now(),
        })
        await upsertMembers(tx, id, [owner.phone], 'superadmin')
        await upsertMembers(tx, id, phones, 'member')
        const [group] = await findGroups(tx, scope, [id])
        if (!group) throw new Error(`createGroup: group ${id} not found after its insert`)
        const state = toState(group)
        // As on WhatsApp, members first receive a group with only its owner, then an event that adds all others.
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
          await queueEvents(tx, [
            ...eventEntries([instanceId], { kind: 'group', group: before, at }),
            ...eventEntries([instanceId], {
              kind: 'participants',
              groupId: id,
              action: 'add',
              actor: owner,
              participants: added,
              at,
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
      input: {
        groupId: string
        subject?: string
        description?: string | null
        settings?: Partial<GroupSettings>
      },
      byInstance: string | null,
    ): Promise<GroupState> {
      const { groupId, ...changed } = input
      return db.transaction(async (tx) => {
        const { group, role } = await requireEditor(tx, scope, groupId, actor)
        const before = group.settings ?? INITIAL_SETTINGS
        if (role === 'member' && changed.settings) throw new NetworkRejection('not_admin')
        const texts = {
          subject: changed.subject ?? group.subject,
          description: changed.description === undefined ? group.description : changed.description,
          settings: { ...before, ...changed.settings },
        }
        await updateGroup(tx, scope, groupId, texts)
        const phones = group.members.flatMap(({ phone }) => phone ?? [])
        const ids = (await instancesOf(tx, scope, phones, byInstance)).map(({ id }) => id)
        const what: NetworkEvent = {
          kind: 'group_changed',
          groupId,
          actor,
          ...changed,
          at: clock.now(),
        }
        await queueEvents(tx, eventEntries(ids, what))
        return toState({ ...group, ...texts })
      })
    },

    /** Returns the code of a group's invitation, which only its admins see. */
    async invite(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      { groupId, reset }: { groupId: string; reset: boolean },
    ): Promise<{ code: string }> {
      return db.transaction(async (tx) => {
        const { role } = await getGroupAs(tx, scope, groupId, actor)
        if (role === 'member') throw new NetworkRejection('not_admin')
        const fresh = randomBytes(16).toString('base64url')
        return { code: await inviteCode(tx, scope, groupId, fresh, reset) }
      })
    },

    /** Adds a person to the group that a code invites to; null if an admin would have to approve it. */
    async join(
      db: Db,
      scope: PhoneScope,
      person: Person,
      code: string,
      byInstance: string | null,
    ): Promise<GroupState | null> {
      return db.transaction(async (tx) => {
        const [group] = await findInvitedGroups(tx, scope, code)
        if (!group) throw new NetworkRejection('unknown')
        const known = group.members.some(({ phone }) => phone === person.phone)
        if (known) return toState(group)
        if (group.settings?.joinApproval) {
          await insertJoinRequest(tx, group.id, person.phone, now())
          return null
        }
        const joined = { people: [person], actor: person }
        const parts = { queueEvents, at: clock.now(), toState }
        const after = await admit(tx, parts, scope, group, joined, byInstance)
        return toState(after)
      })
    },

    /** Returns the participants that the change applied to, and the group's new state. */
    async changeParticipants(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      input: { groupId: string; action: GroupAction; participants: string[] },
      byInstance: string | null,
    ): Promise<{ concerned: Participant[]; group: GroupState }> {
      const { groupId, action } = input
      return db.transaction(async (tx) => {
        const { group, role } = await getGroupAs(tx, scope, groupId, actor)
        if (action !== 'leave' && role === 'member') throw new NetworkRejection('not_admin')
        const found = await lookUp(tx, scope, input.participants)
        const phones =
          action === 'leave' ? [actor.phone] : found.flatMap(({ phone }) => phone ?? [])
        const inGroup = new Set(group.members.map(({ phone }) => phone))
        // The role of the owner cannot change.
        const owners = group.members.filter((member) => member.role === 'superadmin')
        const fixed = (phone: string) =>
          /^(promote|demote)$/.test(action) && owners.some((owner) => owner.phone === phone)
        const concernedPhones = phones.filter(
          (phone) => inGroup.has(phone) === (action !== 'add') && !fixed(phone),
        )
        if (action === 'remove' || action === 'leave')
          await deleteMembers(tx, groupId, concernedPhones)
        else
          await upsertMembers(
            tx,
            groupId,
            concernedPhones,
            action === 'promote' ? 'admin' : 'member',
          )
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
          await queueEvents(tx, [
            ...(fresh ? eventEntries([id], { kind: 'group', group: toState(group), at }) : []),
            ...eventEntries([id], {
              kind: 'participants',
              groupId,
              action,
              actor,
              participants: concerned,
              at,
            }),
          ])
        }
        if (action === 'add' && after)
          await admitToCommunity(tx, { queueEvents, at, toState }, scope, after, actor)
        return { concerned, group: state }
      })
    },

    /** Returns the groups and labels of a phone, as the events that a newly paired account receives first. */
    async initialEvents(db: Db, scope: PhoneScope, phone: string): Promise<NetworkEvent[]> {
      const at = clock.now()
      const joined = await findGroupsOf(db, scope, phone)
      const row = (await findPhones(db, scope, [phone])).find((one) => one.phone === phone)
      const labels = row ? await listLabels(db, row.id) : []
      return [
        ...joined.map((group): NetworkEvent => ({ kind: 'group', group: toState(group), at })),
        ...labels.map(({ id: networkId, name, color }): NetworkEvent => ({
          kind: 'label',
          networkId,
          name,
          color,
          deleted: false,
          at,
        })),
      ]
    },
  }
}

function toState(group: SimulatedGroup): GroupState {
  const { id: groupId, subject, description, ownerPhone, members, settings, community } = group
  const owner = members.find(({ phone }) => phone === ownerPhone)
  return {
    groupId,
    subject,
    description,
    owner: owner
      ? { phone: owner.phone, lid: owner.lid, name: owner.name }
      : { phone: ownerPhone, lid: null, name: null },
    participants: members,
    settings: settings ?? INITIAL_SETTINGS,
    community,
    createdAt: group.createdAt.getTime(),
  }
}
