import type { LockedDb } from '../../company/projects/projects.service.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { EventsService } from '../../events/events.service.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Account, InstancesService } from '../../instances/instances.service.ts'
import type { NetworkCommander } from '../../instances/network-commands.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NetworkEvent } from '../../networks/network-events.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Call, ListCallsQuery } from './calls.schemas.ts'
import { findCall, listCalls, upsertCall, type CallRow } from './calls.sql.ts'

const NO_ONE = { phone: null, lid: null }

/** Records, lists and rejects the calls of instances. */
export type CallsService = ReturnType<typeof createCallsService>

/** Creates the service that records, lists and rejects received calls (G37). */
export function createCallsService(deps: {
  clock: Clock
  events: EventsService
  instances: InstancesService
  conversations: ConversationsService
  commander: Pick<NetworkCommander, 'run'>
}) {
  const { clock, events, instances, conversations, commander } = deps
  const now = () => new Date(clock.now())

  async function reject(db: Db, instance: Account['instance'], row: CallRow): Promise<void> {
    const { id: callId } = row
    await commander.run(instance.id, 'rejectCall', { callId, from: callerOf(row) })
    await upsertCall(db, instance, { ...row, status: 'rejected' })
  }

  return {
    /** Lists the calls of an instance, or those of a conversation's contact. Throws 404. */
    async list(db: Db, scope: Scope, instanceId: string, query: ListCallsQuery) {
      const { limit, offset, conversationId } = query
      const caller =
        conversationId === undefined
          ? null
          : // A group has no contact, and a call does not say which group it is from: nothing matches.
            ((await conversations.get(db, scope, instanceId, conversationId)).contact ?? NO_ONE)
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listCalls(db, scope, instanceId, caller, page)
      if (rows.length === 0) await instances.get(db, scope, instanceId)
      return toPage(rows.map(render), limit, offset)
    },

    /** Rejects a ringing call. Throws 404 if it is unknown and 409 if it is no longer ringing. */
    async reject(db: Db, scope: Scope, instanceId: string, callId: string): Promise<Call> {
      const row = await findCall(db, scope, instanceId, callId, now())
      if (!row) {
        await instances.get(db, scope, instanceId)
        throw fail('not_found', (say) => say.calls.notFound)
      }
      if (row.status !== 'ringing') throw fail('conflict', (say) => say.calls.over)
      const { instance } = await instances.account(db, scope, instanceId)
      await reject(db, instance, row)
      return render({ ...row, status: 'rejected' })
    },

    /**
     * Records a call as the network reports it. Returns the row and records `call.received` only for a new call; later
     * changes of its status return null.
     */
    async recordCall(
      tx: LockedDb,
      instance: Account['instance'],
      call: Omit<Extract<NetworkEvent, { kind: 'call' }>, 'kind'>,
    ): Promise<CallRow | null> {
      const { callId: id, video, group: isGroup, status } = call
      const [met] = await conversations.upsertContacts(tx, [{ instance, party: call.from }])
      const from = met?.party ?? call.from
      const { phone: fromPhone, lid: fromLid, name: fromName } = from
      const row = {
        id,
        fromPhone,
        fromLid,
        fromName,
        video,
        isGroup,
        status,
        at: new Date(call.at),
      }
      if (!(await upsertCall(tx, instance, row))) return null
      const { id: _, at, ...shown } = render(row)
      const data = { callId: id, ...shown, at }
      const { id: instanceId, projectId, mode } = instance
      await events.record(tx, [{ name: 'call.received', projectId, mode, instanceId, data }])
      return row
    },

    /** Rejects a call of an instance that has the `rejectCalls` setting. */
    autoReject: reject,
  }
}

function callerOf({ fromPhone: phone, fromLid: lid, fromName: name }: CallRow) {
  return { phone, lid, name }
}

function render(row: CallRow): Call {
  const { id, video, isGroup: group, status, at } = row
  return { id, from: callerOf(row), video, group, status, at: at.toISOString() }
}
