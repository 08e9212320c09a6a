import { errorCode } from './database-errors.ts'
import { fail, type Failure } from '../../kernel/phrases/fail.ts'

/** The failures of a key, by the code that access_granted raises and by the refusals of a batch of sends. */
const REFUSALS: Record<string, () => Failure> = {
  RC401: () => fail('unauthorized', (say) => say.auth.unknown),
  RC411: () => fail('unauthorized', (say) => say.auth.revoked),
  RC412: () => fail('unauthorized', (say) => say.auth.expired),
  RC403: () => fail('forbidden', (say) => say.projects.inactive),
  RC402: () =>
    fail('payment_required', (say) => say.billing.apiNotEnabled, { reason: 'API_NOT_ENABLED' }),
}

/** The failure that a statement raised because the key may not be used; null for any other error. */
export function accessFailure(error: unknown): Failure | null {
  return accessFailureByCode(errorCode(error))
}

export function accessFailureByCode(code: string): Failure | null {
  return REFUSALS[code]?.() ?? null
}
