import type { Clock } from '../../kernel/clock.ts'
import type { GroupCommunity } from '../../model/group-community.schemas.ts'
import { INITIAL_SETTINGS } from '../../model/group-settings.schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { GroupState, NetworkEvent } from '../network-events.port.ts'
import { NetworkRejection } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { admitToCommunity } from './community-members.ts'
import { newGroupId, type Groups } from './groups.ts'
import {
  findGroups,
  insertGroup,
  setCommunity,
  updateGroup,
  upsertMembers,
  type SimulatedGroup,
} from './groups-labels-calls.sql.ts'
import type { Person } from './route-message.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import { findPhones } from './simulator.sql.ts'

/** Creates the operations of virtual phones on communities. A rejected operation throws NetworkRejection. */
export function createCommunities(deps: { clock: Clock; world: SimulatedNetwork; groups: Groups }) {
  const { clock, world, groups } = deps
  const { toState } = groups

  /** Sends an event to the instances of all members of a group. */
  async function tellMembers(tx: Db, scope: PhoneScope, group: SimulatedGroup, what: NetworkEvent) {
    const phones = group.members.flatMap(({ phone }) => phone ?? [])
    const rows = await findPhones(tx, scope, phones)
    const ids = rows.flatMap(({ instanceIds }) => instanceIds)
    await world.queueEvents(tx, eventEntries(ids, what))
  }

  async function requireAdmin(tx: Db, scope: PhoneScope, groupId: string, actor: Person) {
    const found = await groups.getGroupAs(tx, scope, groupId, actor)
    if (found.role === 'member') throw new NetworkRejection('not_admin')
    return found.group
  }

  async function place(
    tx: Db,
    scope: PhoneScope,
    actor: Person,
    group: SimulatedGroup,
    community: GroupCommunity | null,
  ): Promise<void> {
    await setCommunity(tx, scope, group.id, community)
    const parts = { queueEvents: world.queueEvents, at: clock.now(), toState }
    await admitToCommunity(tx, parts, scope, { ...group, community }, actor)
    const change = { groupId: group.id, actor, community, at: clock.now() }
    await tellMembers(tx, scope, group, { kind: 'group_changed', ...change })
  }

  return {
    /** Creates a community of groups that the actor is an admin of, with a group for its announcements. */
    async create(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      { subject, groupIds }: { subject: string; groupIds: string[] },
    ): Promise<GroupState> {
      return db.transaction(async (tx) => {
        const inside: SimulatedGroup[] = []
        for (const id of new Set(groupIds)) {
          const group = await requireAdmin(tx, scope, id, actor)
          // A group belongs to one community at most, and a community to none.
          if (group.community) throw new NetworkRejection('unknown')
          inside.push(group)
        }
        const [id, announcements] = [newGroupId(), newGroupId()]
        for (const one of [id, announcements]) {
          const texts = { subject, description: null }
          const now = new Date(clock.now())
          await insertGroup(tx, scope, { id: one, ...texts, ownerPhone: actor.phone, now })
          const isCommunity = one === id
          await setCommunity(tx, scope, one, {
            id,
            part: isCommunity ? 'community' : 'announcements',
          })
          await updateGroup(tx, scope, one, {
            ...texts,
            settings: { ...INITIAL_SETTINGS, onlyAdminsSend: true },
          })
          await upsertMembers(tx, one, [actor.phone], 'superadmin')
          const [made] = await findGroups(tx, scope, [one])
          const at = clock.now()
          if (made) await tellMembers(tx, scope, made, { kind: 'group', group: toState(made), at })
        }
        for (const group of inside) await place(tx, scope, actor, group, { id, part: 'group' })
        const [made] = await findGroups(tx, scope, [id])
        if (!made) throw new Error(`create: community ${id} not found after its insert`)
        return toState(made)
      })
    },

    /** Adds a group to a community, or removes it with null; the actor must be an admin of every group involved. */
    async move(
      db: Db,
      scope: PhoneScope,
      actor: Person,
      { groupId, communityId }: { groupId: string; communityId: string | null },
    ): Promise<GroupState> {
      return db.transaction(async (tx) => {
        const group = await requireAdmin(tx, scope, groupId, actor)
        const before = group.community
        // The community itself and its announcement group cannot leave it.
        if (before && before.part !== 'group') throw new NetworkRejection('unknown')
        for (const id of new Set([before?.id ?? null, communityId])) {
          if (id === null) continue
          const { community } = await requireAdmin(tx, scope, id, actor)
          if (community?.part !== 'community') throw new NetworkRejection('unknown')
        }
        if ((before?.id ?? null) === communityId) return toState(group)
        const next = communityId ? { id: communityId, part: 'group' as const } : null
        await place(tx, scope, actor, group, next)
        return toState({ ...group, community: next })
      })
    },
  }
}
