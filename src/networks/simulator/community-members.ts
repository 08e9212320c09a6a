import type { Party } from '../../model/records.schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { GroupState } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import {
  findCommunity,
  findGroups,
  upsertMembers,
  type SimulatedGroup,
} from './groups-labels-calls.sql.ts'
import { eventEntries, type SimulatedNetwork } from './simulated-network.ts'
import { findPhones } from './simulator.sql.ts'

/** Dependencies of the functions that report new members; `at` is in milliseconds since the epoch. */
export type MemberReports = {
  queueEvents: SimulatedNetwork['queueEvents']
  at: number
  toState: (group: SimulatedGroup) => GroupState
}

/**
 * Adds the members of a group to its community and to the announcement group, and reports it like any other addition:
 * instances of new members receive the previous state first, then all instances receive the addition. Does nothing for
 * a group outside of communities.
 */
export async function admitToCommunity(
  tx: Db,
  { queueEvents, at, toState }: MemberReports,
  scope: PhoneScope,
  { community, members: joining }: Pick<SimulatedGroup, 'community' | 'members'>,
  actor: Party,
): Promise<void> {
  if (community?.part !== 'group') return
  for (const before of await findCommunity(tx, scope, community.id)) {
    if (before.community?.part === 'group') continue
    const known = new Set(before.members.map(({ phone }) => phone))
    const fresh = joining.flatMap(({ phone }) => (phone && !known.has(phone) ? phone : []))
    if (fresh.length === 0) continue
    await upsertMembers(tx, before.id, fresh, 'member')
    const [after = before] = await findGroups(tx, scope, [before.id])
    const participants = after.members.filter(({ phone }) => phone && fresh.includes(phone))
    const added = { groupId: before.id, action: 'add' as const, actor, participants, at }
    const phones = after.members.flatMap(({ phone }) => phone ?? [])
    for (const { phone, instanceIds } of await findPhones(tx, scope, phones)) {
      await queueEvents(tx, [
        ...(fresh.includes(phone)
          ? eventEntries(instanceIds, { kind: 'group', group: toState(before), at })
          : []),
        ...eventEntries(instanceIds, { kind: 'participants', ...added }),
      ])
    }
  }
}
