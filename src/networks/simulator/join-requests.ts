import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Party } from '../../model/records.schemas.ts'
import { NetworkRejection, type JoinRequest } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { admit } from './admit.ts'
import { deleteJoinRequests, listJoinRequests } from './groups-labels-calls.sql.ts'
import type { Person } from './route-message.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

/** The requests to join a group, as its admins see and answer them. Throws NetworkRejection for anyone else. */
export function createJoinRequests(deps: {
  clock: Clock
  world: SimulatedNetwork
  groups: Groups
}) {
  const { clock, world, groups } = deps

  async function requireAdmin(tx: Db, scope: PhoneScope, groupId: string, actor: Person) {
    const { group, role } = await groups.getGroupAs(tx, scope, groupId, actor)
    if (role === 'member') throw new NetworkRejection('not_admin')
    return group
  }

  return {
    async list(db: Db, scope: PhoneScope, actor: Person, groupId: string): Promise<JoinRequest[]> {
      await requireAdmin(db, scope, groupId, actor)
      const rows = await listJoinRequests(db, scope, groupId)
      return rows.map(({ requestedAt, ...party }) => ({
        ...party,
        requestedAt: requestedAt.getTime(),
      }))
    },

    /** Adds or turns away those of these people who have asked; returns them. */
    answer: (
      db: Db,
      scope: PhoneScope,
      actor: Person,
      input: { groupId: string; action: 'approve' | 'reject'; requests: Party[] },
      byInstance: string | null,
    ): Promise<Party[]> =>
      db.transaction(async (tx) => {
        const { groupId, action } = input
        const group = await requireAdmin(tx, scope, groupId, actor)
        const asked = await listJoinRequests(tx, scope, groupId)
        const wanted = input.requests.flatMap(({ phone }) => phone ?? [])
        // Of two admins who answer at the same time, one does.
        const ended = new Set(await deleteJoinRequests(tx, groupId, wanted))
        const people = asked.flatMap(({ phone, lid, name }) =>
          ended.has(phone) ? [{ phone, lid, name }] : [],
        )
        if (action === 'reject' || people.length === 0) return people
        const parts = { queueEvents: world.queueEvents, at: clock.now(), toState: groups.toState }
        await admit(tx, parts, scope, group, { people, actor }, byInstance)
        return people
      }),
  }
}
