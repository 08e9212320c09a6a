import { isDeepStrictEqual } from 'node:util'
import { lockProjects, type LockedDb } from '../../company/projects/projects.service.ts'
import type { NumbersService } from '../contacts/numbers.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Account, InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NetworkEvent, GroupState } from '../../networks/network-events.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Participant } from '../../model/records.schemas.ts'
import {
  readInvite,
  renderInvite,
  type CreateGroupBody,
  type Group,
  type GroupInvite,
  type JoinGroupBody,
  type ParticipantsBody,
  type PatchGroupBody,
} from './groups.schemas.ts'
import {
  deleteParticipants,
  findGroup,
  listGroups,
  lockGroup,
  upsertParticipants,
  replaceParticipants,
  upsertGroup,
  type GroupTexts,
} from './groups.sql.ts'
import { ownerOf, renderGroup } from './render-group.ts'

type Instance = Account['instance']
type EventOfKind<Kind extends NetworkEvent['kind']> = Extract<NetworkEvent, { kind: Kind }>

/** Lists and changes the groups of instances and records reports about them. */
export type GroupsService = ReturnType<typeof createGroupsService>

/**
 * Creates the service that lists and changes groups and records what networks report about them (G37).
 */
export function createGroupsService(deps: {
  clock: Clock
  events: EventsService
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  numbers: NumbersService
  conversations: ConversationsService
}) {
  const { clock, events, instances, commander, numbers, conversations } = deps
  const now = () => new Date(clock.now())

  async function getOrThrow(
    db: Db,
    scope: Scope,
    instanceId: string,
    groupId: string,
  ): Promise<Group> {
    const row = await findGroup(db, scope, instanceId, groupId, now())
    if (row) return renderGroup(row)
    await instances.get(db, scope, instanceId)
    throw fail('not_found', (say) => say.groups.notFound)
  }

  /** Returns the numbers as the network writes them; throws 400 for one that is not on the network. */
  async function readPhones(
    db: Db,
    scope: Scope,
    instanceId: string,
    inputs: string[],
  ): Promise<string[]> {
    const checked = await numbers.check(db, scope, instanceId, inputs, 'participants')
    return checked.map(({ input, phone }) => {
      if (!phone)
        throw fail('bad_request', (say) => say.groups.participantInvalid(input.slice(0, 40)), {
          field: 'participants',
        })
      return phone
    })
  }

  /** Stores the full state of a group. Records no event, because a full state does not say what changed. */
  async function storeGroup(tx: LockedDb, instance: Instance, group: GroupState): Promise<void> {
    const { groupId, participants, ...texts } = group
    await conversations.ensure(tx, instance, chatOf(groupId, texts.subject))
    const createdAt = new Date(group.createdAt)
    await upsertGroup(tx, instance, { groupId, ...texts, createdAt })
    await replaceParticipants(tx, instance, groupId, participants)
  }

  async function applyTextChange(
    tx: LockedDb,
    instance: Instance,
    event: Omit<EventOfKind<'group_changed'>, 'kind'>,
  ) {
    const { groupId, actor, at } = event
    const before = await lockGroup(tx, instance, groupId)
    if (!before) return
    const after = {
      subject: event.subject ?? before.subject,
      description: event.description === undefined ? before.description : event.description,
      // Unknown settings stay unknown until the network reports all of them.
      settings: before.settings && { ...before.settings, ...event.settings },
      community: event.community === undefined ? (before.community ?? null) : event.community,
    }
    const changes = {
      ...changeOf('subject', before.subject, after.subject),
      ...changeOf('description', before.description, after.description),
      ...changeOf('settings', before.settings, after.settings),
      ...changeOf('community', before.community ?? null, after.community),
    }
    if (Object.keys(changes).length === 0) return
    await conversations.ensure(tx, instance, chatOf(groupId, after.subject))
    await setTexts(tx, instance, groupId, after)
    const data = { groupId, actor, changes, at: new Date(at).toISOString() }
    const { id: instanceId, projectId, mode } = instance
    await events.record(tx, [{ name: 'group.updated', projectId, mode, instanceId, data }])
  }

  async function setTexts(tx: Db, instance: Instance, groupId: string, texts: GroupTexts) {
    const row = await findGroup(tx, { ...instance, keyId: null }, instance.id, groupId, now())
    if (!row) return
    const { createdAt } = row
    await upsertGroup(tx, instance, { groupId, ...texts, owner: ownerOf(row), createdAt })
  }

  async function applyParticipantChange(
    tx: LockedDb,
    instance: Instance,
    event: Omit<EventOfKind<'participants'>, 'kind'>,
  ) {
    const { groupId, action, actor, at } = event
    const leaving = action === 'leave' || action === 'remove'
    if (!(await lockGroup(tx, instance, groupId))) {
      if (leaving) return
      // The account has just joined; the network reports the subject and the other participants separately.
      const nothing = { description: null, owner: null, settings: null, community: null }
      const bare = { subject: '', ...nothing, participants: [] }
      await storeGroup(tx, instance, { groupId, ...bare, createdAt: at })
    }
    const role = action === 'promote' ? ('admin' as const) : ('member' as const)
    const named = event.participants.map((party): Participant => ({ ...party, role }))
    const participants = leaving
      ? await deleteParticipants(tx, instance, groupId, event.participants)
      : await upsertParticipants(tx, instance, groupId, named)
    if (participants.length === 0) return
    const data = { groupId, action, actor, participants, at: new Date(at).toISOString() }
    const { id: instanceId, projectId, mode } = instance
    await events.record(tx, [{ name: 'group.participants', projectId, mode, instanceId, data }])
  }

  /** Stores a change that the network has accepted. The network's own report of it has no further effect. */
  function record(
    db: Db,
    instance: Instance,
    work: (tx: LockedDb) => Promise<void>,
  ): Promise<void> {
    return db.transaction(async (tx) => work(await lockProjects(tx, [instance.projectId])))
  }

  return {
    storeGroup: storeGroup,
    applyTextChange: applyTextChange,
    applyParticipantChange: applyParticipantChange,
    get: getOrThrow,

    async list(
      db: Db,
      scope: Scope,
      instanceId: string,
      query: { limit: number; offset: number; q?: string; community?: string },
    ) {
      const { limit, offset, q, community } = query
      const page = { limit: limit + 1, offset, now: now() }
      const filter = { q: q || null, community: community ?? null }
      const rows = await listGroups(db, scope, instanceId, filter, page)
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(renderGroup), limit, offset)
    },

    async create(db: Db, scope: Scope, instanceId: string, body: CreateGroupBody): Promise<Group> {
      const { instance } = await instances.account(db, scope, instanceId)
      const participants = await readPhones(db, scope, instanceId, body.participants)
      const { subject, description } = body
      const input = { subject, description: description || null, participants }
      const group = await commander.run(instanceId, 'createGroup', input)
      await record(db, instance, (tx) => storeGroup(tx, instance, group))
      return getOrThrow(db, scope, instanceId, group.groupId)
    },

    async update(
      db: Db,
      scope: Scope,
      instanceId: string,
      groupId: string,
      body: PatchGroupBody,
    ): Promise<Group> {
      const { settings } = body
      const texts = {
        ...(body.subject === undefined ? {} : { subject: body.subject }),
        ...(body.description === undefined ? {} : { description: body.description || null }),
      }
      const retitled = Object.keys(texts).length > 0
      if (!retitled && !settings) {
        throw fail('bad_request', (say) => say.groups.nothingToChange)
      }
      await getOrThrow(db, scope, instanceId, groupId)
      const { instance, self } = await instances.account(db, scope, instanceId)
      if (retitled) await commander.run(instanceId, 'changeGroup', { groupId, ...texts })
      // A separate command, so that a node of an earlier version rejects it instead of ignoring the field.
      if (settings) await commander.run(instanceId, 'changeGroupSettings', { groupId, settings })
      const change = { ...texts, ...(settings ? { settings } : {}) }
      const event = { groupId, actor: self, ...change, at: clock.now() }
      await record(db, instance, (tx) => applyTextChange(tx, instance, event))
      return getOrThrow(db, scope, instanceId, groupId)
    },

    /** Returns the invitation link of a group; `reset` replaces it. */
    async invite(
      db: Db,
      scope: Scope,
      instanceId: string,
      groupId: string,
      reset: boolean,
    ): Promise<GroupInvite> {
      await getOrThrow(db, scope, instanceId, groupId)
      await instances.account(db, scope, instanceId)
      return renderInvite(await commander.run(instanceId, 'groupInvite', { groupId, reset }))
    },

    /** Joins a group by its invitation; null if an admin has to approve it first. */
    async join(db: Db, scope: Scope, instanceId: string, body: JoinGroupBody) {
      const code = readInvite(body.invite)
      if (!code) throw fail('bad_request', (say) => say.groups.inviteInvalid, { field: 'invite' })
      const { instance } = await instances.account(db, scope, instanceId)
      const group = await commander.run(instanceId, 'joinGroup', { code })
      if (!group) return null
      await record(db, instance, (tx) => storeGroup(tx, instance, group))
      return getOrThrow(db, scope, instanceId, group.groupId)
    },

    /** Adds, removes, promotes or demotes people. Throws 400 for a new role of people who are not in the group. */
    async changeParticipants(
      db: Db,
      scope: Scope,
      instanceId: string,
      groupId: string,
      body: ParticipantsBody,
    ): Promise<Group> {
      await getOrThrow(db, scope, instanceId, groupId)
      const { instance, self } = await instances.account(db, scope, instanceId)
      const phones = await readPhones(db, scope, instanceId, body.participants)
      const { action } = body
      const input = { groupId, action, participants: phones }
      const participants = await commander.run(instanceId, 'changeParticipants', input)
      const event = { groupId, action, actor: self, participants, at: clock.now() }
      await record(db, instance, (tx) => applyParticipantChange(tx, instance, event))
      const group = await getOrThrow(db, scope, instanceId, groupId)
      const isRole = action === 'promote' || action === 'demote'
      const isMember = group.participants.some(({ phone }) => phone && phones.includes(phone))
      if (isRole && participants.length === 0 && !isMember)
        throw fail('bad_request', (say) => say.groups.notInGroup, { field: 'participants' })
      return group
    },

    async leave(db: Db, scope: Scope, instanceId: string, groupId: string): Promise<Group> {
      await getOrThrow(db, scope, instanceId, groupId)
      const { instance, self } = await instances.account(db, scope, instanceId)
      await commander.run(instanceId, 'leaveGroup', { groupId })
      const action = 'leave' as const
      const event = { groupId, action, actor: self, participants: [self], at: clock.now() }
      await record(db, instance, (tx) => applyParticipantChange(tx, instance, event))
      return getOrThrow(db, scope, instanceId, groupId)
    },
  }
}

/** Returns an entry for the event's `changes`, or an empty object if the values are equal. */
function changeOf<Field extends string, Value>(field: Field, from: Value, to: Value) {
  type Changed = { [Name in Field]?: { from: Value; to: Value } }
  return (isDeepStrictEqual(from, to) ? {} : { [field]: { from, to } }) as Changed
}

function chatOf(groupId: string, name: string) {
  return { chatId: groupId, chatType: 'group' as const, phone: null, lid: null, name }
}
