import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { BlockedList } from './blocked.schemas.ts'
import type { NumbersService } from './numbers.service.ts'

/** Blocks people on the network; see `createBlockedService`. */
export type BlockedService = ReturnType<typeof createBlockedService>

/** Creates the service that blocks people on the network, which keeps the list: nothing is stored here. */
export function createBlockedService(deps: {
  instances: InstancesService
  numbers: NumbersService
  commander: Pick<NetworkCommander, 'run'>
}) {
  const { instances, numbers, commander } = deps
  return {
    async list(db: Db, scope: Scope, instanceId: string): Promise<BlockedList> {
      await instances.account(db, scope, instanceId)
      return { items: await commander.run(instanceId, 'listBlocked', {}) }
    },

    /** Blocks a number, or no longer. Throws 400 for one that is not on the network. */
    async change(
      db: Db,
      scope: Scope,
      instanceId: string,
      input: string,
      blocked: boolean,
    ): Promise<void> {
      await instances.account(db, scope, instanceId)
      const [found] = await numbers.check(db, scope, instanceId, [input])
      const phone = found?.phone
      if (!phone) throw fail('bad_request', (say) => say.contacts.notOnNetwork, { field: 'phone' })
      await commander.run(instanceId, 'setBlocked', { phone, blocked })
    },
  }
}
