import { delay, type Clock } from '../kernel/clock.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../kernel/fair-semaphore.ts'
import { createTokenBuckets } from '../kernel/token-bucket.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { orFailure } from './media-problem.ts'
import type { Quota } from './quota.ts'

/** Uploads that are received at once, in total and of one Project; one over a slow line takes up to half an hour. */
const MAX_UPLOADS = 256
const MAX_PROJECT_UPLOADS = 4
const MAX_WAITING = 256
const WAIT_MS = 10_000
/** Uploads of one Project over time: each is inspected and stored, which costs computing time however small the file is. */
const PACE = { perSecond: 20, burst: 10 }

/**
 * Creates the function that receives an upload with `read`. It first checks the key and the room of the Project (413), and
 * waits for the Project's turn and for one of its slots (503): what is read lies on the disk before any other statement
 * checks the key.
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
  const pace = createTokenBuckets({ clock, maxWaitMs: WAIT_MS })
  return async <T>(scope: Scope, read: () => Promise<T>): Promise<T> => {
    if (scope.keyId !== null) await recheckKey(db, scope.keyId)
    await orFailure(() => quota.take(scope, 0))
    const waitMs = pace.take(scope.projectId, 1, PACE)
    if (waitMs === null)
      throw new SemaphoreTimeout(`pace of uploads exceeded (Project ${scope.projectId})`)
    if (waitMs > 0) await delay(clock, waitMs)
    return gate(scope.projectId, read)
  }
}
