import type { Db } from '../../platform/db/sql.ts'
import type { Party } from '../../model/records.schemas.ts'
import type { NetworkEvent } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { admitToCommunity, type MemberReports } from './community-members.ts'
import { findGroups, upsertMembers, type SimulatedGroup } from './groups-labels-calls.sql.ts'
import type { Person } from './route-message.ts'
import { eventEntries } from './simulated-network.ts'
import { findPhones } from './simulator.sql.ts'

/**
 * Adds people to a group that they have joined or asked to join. Its members are notified, and their own instances get
 * the group, except `byInstance`, which made the change. Returns the updated group.
 */
export async function admit(
  tx: Db,
  deps: MemberReports,
  scope: PhoneScope,
  group: SimulatedGroup,
  joined: { people: (Party & { phone: string })[]; actor: Person },
  byInstance: string | null,
): Promise<SimulatedGroup> {
  const { queueEvents, at, toState } = deps
  const { people, actor } = joined
  const phones = people.map(({ phone }) => phone)
  await upsertMembers(tx, group.id, phones, 'member')
  const [after = group] = await findGroups(tx, scope, [group.id])
  const change: NetworkEvent = {
    kind: 'participants',
    groupId: group.id,
    action: 'join',
    actor,
    participants: people,
    at,
  }
  const everyone = [...group.members.flatMap(({ phone }) => phone ?? []), ...phones]
  for (const row of await findPhones(tx, scope, everyone)) {
    const ids = row.instanceIds.filter((id) => id !== byInstance)
    const what: NetworkEvent = phones.includes(row.phone)
      ? { kind: 'group', group: toState(after), at }
      : change
    await queueEvents(tx, eventEntries(ids, what))
  }
  await admitToCommunity(tx, deps, scope, after, actor)
  return after
}
