import { lockProjects, type ProjectsService } from '../../company/projects/projects.service.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { parsePhone } from '../../kernel/phone-number.ts'
import type { Participant, Party } from '../../model/records.schemas.ts'
import type { JoinRequest as AskedRequest } from '../../networks/network.port.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { AnswerJoinRequestsBody, AnsweredJoinRequests, JoinRequest } from './groups.schemas.ts'
import type { GroupsService } from './groups.service.ts'

/** Lists and answers requests to join groups. */
export type JoinRequestsService = ReturnType<typeof createJoinRequestsService>

/** Creates the service for requests to join groups, which only the network stores (G37). */
export function createJoinRequestsService(deps: {
  clock: Clock
  projects: Pick<ProjectsService, 'numberCompleter'>
  instances: InstancesService
  commander: Pick<NetworkCommander, 'run'>
  groups: Pick<GroupsService, 'get' | 'applyParticipantChange'>
}) {
  const { clock, projects, instances, commander, groups } = deps

  async function read(db: Db, scope: Scope, instanceId: string, groupId: string) {
    await groups.get(db, scope, instanceId, groupId)
    const account = await instances.account(db, scope, instanceId)
    const requests = await commander.run(instanceId, 'listJoinRequests', { groupId })
    return { ...account, requests }
  }

  return {
    async list(db: Db, scope: Scope, instanceId: string, groupId: string) {
      const { requests } = await read(db, scope, instanceId, groupId)
      return { items: requests.map(render) }
    },

    /**
     * Approves or rejects requests; ignores people without one. Throws 400 if none of them has one, and 409
     * unless the account is an admin.
     */
    async answer(
      db: Db,
      scope: Scope,
      instanceId: string,
      groupId: string,
      { action, participants: named }: AnswerJoinRequestsBody,
    ): Promise<AnsweredJoinRequests> {
      const complete = await projects.numberCompleter(db, scope.projectId)
      const participants = named.map((text) => complete(text.trim()))
      const { instance, self, requests } = await read(db, scope, instanceId, groupId)
      const wanted = participants.flatMap((text) => {
        const found = requests.find((request) => isNamed(request, text))
        return found ? [toParty(found)] : []
      })
      if (wanted.length === 0) {
        const known = (await groups.get(db, scope, instanceId, groupId)).participants
        const joined = known.filter((member) => participants.some((text) => isNamed(member, text)))
        // Already approved by another admin, or by an attempt whose response was lost.
        if (action === 'approve' && joined.length > 0)
          return { action, participants: joined.map(toParty) }
        throw fail('bad_request', (say) => say.groups.didNotAsk, { field: 'participants' })
      }
      const input = { groupId, action, requests: wanted }
      const answered = await commander.run(instanceId, 'answerJoinRequests', input)
      if (action === 'approve' && answered.length > 0) {
        const joined = answered.map((party): Participant => ({ ...party, role: 'member' }))
        const change = { groupId, actor: self, participants: joined, at: clock.now() }
        await db.transaction(async (tx) => {
          const locked = await lockProjects(tx, [instance.projectId])
          await groups.applyParticipantChange(locked, instance, { ...change, action: 'join' })
        })
      }
      return { action, participants: answered }
    },
  }
}

const toParty = ({ phone, lid, name }: Party): Party => ({ phone, lid, name })

/** Whether a text is the phone number or the LID of this person. */
function isNamed({ phone, lid }: Party, text: string): boolean {
  return text === lid || (phone !== null && parsePhone(text) === phone)
}

function render({ requestedAt, ...party }: AskedRequest): JoinRequest {
  return { ...party, requestedAt: new Date(requestedAt).toISOString() }
}
