import { errorCode } from './database-errors.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'
import { movingProjects, type Db } from './sql.ts'

/** Moving a Project takes seconds for most companies. */
const MOVING_RETRY_AFTER_S = 5

/** The failure for requests of a Project that is moving to another installation. */
export function projectMoves(): Failure {
  return fail('unavailable', (say) => say.projects.moving, { retryAfter: MOVING_RETRY_AFTER_S })
}

/** Throws 503 if a Project is moving to another installation, or has moved. For writers without an API key. */
export async function requireSettled(db: Db, projectId: string): Promise<void> {
  const [row] = await db.system<{ moves: boolean }[]>`
    select ${projectId} = any(${movingProjects(db)}) as moves`
  if (row?.moves) throw projectMoves()
}

/** The failures of an API key, by the SQLSTATE raised by `access_granted`; batched sends report the same codes. */
const REFUSALS = {
  RC401: () => fail('unauthorized', (say) => say.auth.unknown),
  RC411: () => fail('unauthorized', (say) => say.auth.revoked),
  RC412: () => fail('unauthorized', (say) => say.auth.expired),
  RC403: () => fail('forbidden', (say) => say.projects.inactive),
  RC413: projectMoves,
  RC402: () =>
    fail('payment_required', (say) => say.billing.apiNotEnabled, { reason: 'API_NOT_ENABLED' }),
} satisfies Record<string, () => Failure>
/** Why the key of a send was refused. */
export type AccessCode = keyof typeof REFUSALS
const isAccessCode = (code: string): code is AccessCode => Object.hasOwn(REFUSALS, code)

/** The failure for a statement that was rejected because its API key may not be used; null for any other error. */
export function accessFailure(error: unknown): Failure | null {
  return accessFailureByCode(errorCode(error))
}

/** The failure for a code such as `RC401`; null for any other code. */
export function accessFailureByCode(code: string): Failure | null {
  return isAccessCode(code) ? REFUSALS[code]() : null
}
