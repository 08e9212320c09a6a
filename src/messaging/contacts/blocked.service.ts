import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { parsePhone, phoneSpellings } from '../../kernel/phone-number.ts'
import { parseRecipient } from '../../model/recipient.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { BlockedList } from './blocked.schemas.ts'
import type { NumbersService } from './numbers.service.ts'

/** Blocks people on the network; see `createBlockedService`. */
export type BlockedService = ReturnType<typeof createBlockedService>

/** Creates the service that blocks people on the network. Only the network stores the list. */
export function createBlockedService(deps: {
  instances: InstancesService
  numbers: NumbersService
  commander: Pick<NetworkCommander, 'run'>
  projects: Pick<ProjectsService, 'numberCompleter'>
}) {
  const { instances, numbers, commander, projects } = deps

  async function lookUp(db: Db, scope: Scope, instanceId: string, input: string) {
    const [found] = await numbers.check(db, scope, instanceId, [input], 'phone')
    return { phone: found?.phone ?? null, lid: found?.lid ?? null }
  }

  /** Parses a number without looking it up, because the official API has no lookups. */
  async function readNumber(db: Db, scope: Scope, input: string) {
    const complete = await projects.numberCompleter(db, scope.projectId)
    return { phone: parsePhone(complete(input)), lid: null }
  }

  return {
    async list(db: Db, scope: Scope, instanceId: string): Promise<BlockedList> {
      await instances.account(db, scope, instanceId)
      return { items: await commander.run(instanceId, 'listBlocked', {}) }
    },

    /** Blocks a number. Throws 400 for one that is not on the network. */
    async block(db: Db, scope: Scope, instanceId: string, input: string): Promise<void> {
      const { network } = await instances.account(db, scope, instanceId)
      const { phone, lid } =
        network === 'cloud_api'
          ? await readNumber(db, scope, input)
          : await lookUp(db, scope, instanceId, input)
      if (!phone) throw fail('bad_request', (say) => say.contacts.notOnNetwork, { field: 'phone' })
      await commander.run(instanceId, 'setBlocked', { phone, lid, blocked: true })
    },

    /**
     * Unblocks the entry with this phone or LID, even if the number has left the network. Does nothing if
     * there is none. Throws 400 for any other text.
     */
    async unblock(db: Db, scope: Scope, instanceId: string, input: string): Promise<void> {
      await instances.account(db, scope, instanceId)
      const complete = await projects.numberCompleter(db, scope.projectId)
      const typed = parseRecipient(complete(input))
      if (!typed?.phone && !typed?.lid)
        throw fail('bad_request', (say) => say.contacts.notOnNetwork, { field: 'phone' })
      const spellings = typed.phone ? phoneSpellings(typed.phone) : []
      const blocked = await commander.run(instanceId, 'listBlocked', {})
      const found = blocked.find(
        ({ phone, lid }) =>
          (phone !== null && spellings.includes(phone)) || (lid !== null && lid === typed.lid),
      )
      if (!found) return
      const { phone, lid } = found
      await commander.run(instanceId, 'setBlocked', { phone, lid, blocked: false })
    },
  }
}
