import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../platform/db/sql.ts'
import { NetworkRejection, type GroupCommands, type NetworkCommands } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { createJoinRequests } from './join-requests.ts'
import type { Person } from './route-message.ts'
import { findPhones } from './simulator.sql.ts'
import type { SimulatedNetwork } from './simulated-network.ts'

type LabelCommand = 'saveLabel' | 'deleteLabel' | 'associateLabel'

/** Creates the group and label commands of an instance on the simulated network. */
export function createGroupAndLabelCommands(deps: {
  db: Db
  clock: Clock
  scope: PhoneScope
  instanceId: string
  world: SimulatedNetwork
  groups: Groups
  /** Returns the account's own person; throws while the instance is not connected. */
  self: () => Person
}): GroupCommands & Pick<NetworkCommands, LabelCommand> {
  const { db, scope, instanceId, world, groups, self } = deps
  const joinRequests = createJoinRequests(deps)

  /** Loads the row of the account's own phone. */
  async function ownPhone() {
    const me = self()
    const row = (await findPhones(db, scope, [me.phone])).find(({ phone }) => phone === me.phone)
    if (!row) throw new NetworkRejection('unknown')
    return row
  }

  return {
    createGroup: (input) => groups.createGroup(db, scope, self(), input, instanceId),
    async changeGroup(input) {
      await groups.changeGroup(db, scope, self(), input, instanceId)
      return null
    },
    async changeGroupSettings(input) {
      await groups.changeGroup(db, scope, self(), input, instanceId)
      return null
    },
    groupInvite: (input) => groups.invite(db, scope, self(), input),
    joinGroup: ({ code }) => groups.join(db, scope, self(), code, instanceId),
    listJoinRequests: ({ groupId }) => joinRequests.list(db, scope, self(), groupId),
    answerJoinRequests: (input) => joinRequests.answer(db, scope, self(), input, instanceId),
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
    // The labels module stores the associations of an instance; a virtual phone has associations of its own.
    associateLabel: async () => null,
  }
}
