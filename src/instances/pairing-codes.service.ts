import type { ProjectsService } from '../company/projects/projects.service.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { parsePhone } from '../kernel/phone-number.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { InstancesService } from './instances.service.ts'
import type { NetworkCommander } from './network-commands.service.ts'

/** Requests codes to type on the phone. */
export type PairingCodesService = ReturnType<typeof createPairingCodesService>

/** Creates the service that pairs without a camera, by a code that is typed on the phone (G23). */
export function createPairingCodesService(deps: {
  instances: Pick<InstancesService, 'poll'>
  commander: Pick<NetworkCommander, 'run'>
  projects: Pick<ProjectsService, 'numberCompleter'>
}) {
  const { instances, commander, projects } = deps
  return {
    /**
     * Starts pairing and returns the code for this number, in any notation. Throws 400 for an invalid number, and
     * 409 if the instance is paired or its network has no codes.
     */
    async request(db: Db, scope: Scope, instanceId: string, text: string) {
      const complete = await projects.numberCompleter(db, scope.projectId)
      const phone = parsePhone(complete(text))
      if (!phone) throw fail('bad_request', (say) => say.phones.phoneInvalid, { field: 'phone' })
      const { status } = await instances.poll(db, scope, instanceId)
      if (status === 'CONNECTED' || status === 'DISCONNECTED')
        throw fail('conflict', (say) => say.instances.alreadyConnected)
      const code = await commander.run(instanceId, 'requestPairingCode', { phone })
      if (!code) throw fail('conflict', (say) => say.instances.codeNotSupported)
      return { code: code.code, expiresAt: new Date(code.expiresAt).toISOString() }
    },
  }
}
