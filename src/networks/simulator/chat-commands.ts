import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../platform/db/sql.ts'
import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Groups } from './groups.ts'
import { markForAll, starForOne } from './message-marks.ts'
import type { Person } from './route-message.ts'
import type { SimulatedNetwork } from './simulated-network.ts'
import { findPhones, setBlocked } from './simulator.sql.ts'

/** Creates the commands of an instance that block numbers, and pin and star messages, on the simulated network. */
export function createChatCommands(deps: {
  db: Db
  clock: Clock
  scope: PhoneScope
  instanceId: string
  world: SimulatedNetwork
  groups: Groups
  /** Returns the account's own person; throws while the instance is not connected. */
  self: () => Person
}): Pick<NetworkCommands, 'listBlocked' | 'setBlocked' | 'pin' | 'star'> {
  const { db, clock, scope, instanceId, self } = deps
  return {
    async pin({ waMessageId, seconds }) {
      const until = seconds === null ? null : clock.now() + seconds * 1000
      const request = { waMessageId, byInstance: instanceId }
      const mark = { kind: 'pinned' as const, until }
      if (!(await markForAll(deps, db, scope, self(), { ...request, mark })))
        throw new NetworkRejection('unknown')
      return null
    },
    async star({ waMessageId, starred }) {
      // A message to a number without a virtual phone has no copy to star, so a false result is ignored.
      const at = clock.now()
      await starForOne(deps, db, scope, self(), { waMessageId, byInstance: instanceId, starred })
      return { at }
    },
    async listBlocked() {
      const { phone } = self()
      const own = (await findPhones(db, scope, [phone])).find((row) => row.phone === phone)
      if (!own) throw new NetworkRejection('unknown')
      const known = await findPhones(db, scope, own.blocked)
      return own.blocked.map((blocked) => {
        const { lid = null, name = null } = known.find((row) => row.phone === blocked) ?? {}
        return { phone: blocked, lid, name }
      })
    },
    async setBlocked({ phone, blocked }) {
      if (!phone) throw new NetworkRejection('unknown')
      await setBlocked(db, scope, self().phone, phone, blocked)
      return null
    },
  }
}
