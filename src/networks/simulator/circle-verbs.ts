import type { Db } from '../../platform/db/sql.ts'
import { NetworkRefusal, type NetworkSession } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import type { Person } from './route-message.ts'
import { findPhones } from './simulator.sql.ts'
import type { World } from './world.ts'

type CircleVerb =
  | 'createGroup'
  | 'changeGroup'
  | 'changeParticipants'
  | 'leaveGroup'
  | 'saveLabel'
  | 'deleteLabel'
  | 'associateLabel'

/** What an instance does to groups and labels on the simulated network. */
export function circleVerbs(deps: {
  db: Db
  scope: PhoneScope
  instanceId: string
  world: World
  groups: Groups
  /** The account's own person; throws while there is none. */
  self: () => Person
}): Pick<NetworkSession, CircleVerb> {
  const { db, scope, instanceId, world, groups, self } = deps

  /** The account's own phone, as the network has it. */
  async function ownPhone() {
    const me = self()
    const row = (await findPhones(db, scope, [me.phone])).find(({ phone }) => phone === me.phone)
    if (!row) throw new NetworkRefusal('unknown')
    return row
  }

  return {
    createGroup: (input) => groups.createGroup(db, scope, self(), input, instanceId),
    async changeGroup(input) {
      await groups.changeGroup(db, scope, self(), input, instanceId)
      return null
    },
    async changeParticipants(input) {
      return (await groups.changeParticipants(db, scope, self(), input, instanceId)).concerned
    },
    async leaveGroup({ groupId }) {
      const input = { groupId, action: 'leave' as const, participants: [] }
      await groups.changeParticipants(db, scope, self(), input, instanceId)
      return null
    },
    async saveLabel({ networkId, name, color }) {
      const label = { id: networkId, name, color }
      return { networkId: await world.saveLabel(db, await ownPhone(), label, instanceId), color }
    },
    async deleteLabel({ networkId }) {
      await world.deleteLabel(db, await ownPhone(), networkId, instanceId)
      return null
    },
    // Which chats a label is on, the instance keeps; the phone has its own view of them.
    associateLabel: async () => null,
  }
}
