import type { Db } from '../../platform/db/sql.ts'
import { NetworkRejection, type NetworkCommands } from '../network.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import type { Person } from './route-message.ts'
import { findPhones, setBlocked } from './simulator.sql.ts'

/** Creates the commands of an instance that block numbers on the simulated network. */
export function createBlockCommands(deps: {
  db: Db
  scope: PhoneScope
  /** Returns the account's own person; throws while the instance is not connected. */
  self: () => Person
}): Pick<NetworkCommands, 'listBlocked' | 'setBlocked'> {
  const { db, scope, self } = deps
  return {
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
