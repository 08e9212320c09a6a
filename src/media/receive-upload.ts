import type { Clock } from '../kernel/clock.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { orFailure } from './media-problem.ts'
import type { Quota } from './quota.ts'

/** Uploads that are received at once, in total and of one Project. */
const MAX_UPLOADS = 64
const MAX_PROJECT_UPLOADS = 4
const MAX_WAITING = 256
const WAIT_MS = 10_000

/**
 * Creates the function that receives an upload with `read`. It first checks the key and the room of the Project (413), and
 * waits for one of the Project's slots (503): what is read lies on the disk before any other statement checks the key.
 */
export function createUploadReceiver(deps: {
  db: Db
  clock: Clock
  quota: Quota
  recheckKey: Authenticator['recheckKey']
}) {
  const { db, clock, quota, recheckKey } = deps
  const gate = createFairSemaphore({
    clock,
    max: MAX_UPLOADS,
    maxPerKey: MAX_PROJECT_UPLOADS,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })
  return async <T>(scope: Scope, read: () => Promise<T>): Promise<T> => {
    if (scope.keyId !== null) await recheckKey(db, scope.keyId)
    await orFailure(() => quota.take(scope, 0))
    return gate(scope.projectId, read)
  }
}
