import type { InstancesService } from '../../instances/instances.service.ts'
import { Failure } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import type { Db } from '../../platform/db/sql.ts'
import { listLive } from './close.sql.ts'

const PAGE_SIZE = 100

/**
 * Logs out and removes the instances of a closed account, each in its own transaction, so that one that fails keeps no
 * other. Reports failures to `onError`. Returns how many were removed, here or by another node in the meantime.
 */
export async function endInstances(
  deps: {
    db: Db
    instances: Pick<InstancesService, 'remove'>
    onError: (error: unknown, task?: string) => void
  },
  caller: Caller,
  accountId: string,
): Promise<number> {
  const { db, instances, onError } = deps
  let [ended, after] = [0, '']
  for (;;) {
    const live = await listLive(db, accountId, { after, most: PAGE_SIZE })
    for (const { id, projectId, mode } of live) {
      after = id
      try {
        await instances.remove(db, { projectId, mode, keyId: null }, caller, id)
        ended++
      } catch (error) {
        if (error instanceof Failure && error.kind === 'not_found') ended++
        else onError(error, `removing instance ${id} of deleted account ${accountId}`)
      }
    }
    if (live.length < PAGE_SIZE) return ended
  }
}
