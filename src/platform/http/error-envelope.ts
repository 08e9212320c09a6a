import { Type, type Static } from 'typebox'
import {
  Failure,
  fail,
  FAILURE_REASONS,
  type FailureKind,
  type RateState,
} from '../../kernel/phrases/fail.ts'
import { phrasesIn, type Language } from '../../kernel/phrases/phrases.ts'
import { isDatabaseUnavailable } from '../db/database-errors.ts'
import { exhaustedResource } from '../../kernel/exhausted-resource.ts'
import { SemaphoreTimeout } from '../../kernel/fair-semaphore.ts'
import { accessFailure } from '../db/access-failure.ts'

/** The names of unknown fields are the caller's, and may be long. */
const MAX_FIELD_LENGTH = 200
/** `Retry-After` of requests that were rejected because too much work was queued. */
const BUSY_SECONDS = 5

const STATUS: Record<FailureKind, { status: number; code: string }> = {
  bad_request: { status: 400, code: 'BAD_REQUEST' },
  unauthorized: { status: 401, code: 'UNAUTHORIZED' },
  payment_required: { status: 402, code: 'PAYMENT_REQUIRED' },
  forbidden: { status: 403, code: 'FORBIDDEN' },
  not_found: { status: 404, code: 'NOT_FOUND' },
  method_not_allowed: { status: 405, code: 'METHOD_NOT_ALLOWED' },
  conflict: { status: 409, code: 'CONFLICT' },
  payload_too_large: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  unsupported_media_type: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  range_not_satisfiable: { status: 416, code: 'RANGE_NOT_SATISFIABLE' },
  upgrade_required: { status: 426, code: 'UPGRADE_REQUIRED' },
  rate_limited: { status: 429, code: 'RATE_LIMITED' },
  internal: { status: 500, code: 'INTERNAL_ERROR' },
  unavailable: { status: 503, code: 'UNAVAILABLE' },
  insufficient_storage: { status: 507, code: 'INSUFFICIENT_STORAGE' },
}

/** The envelope of every error response (G16). */
export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      code: Type.Unsafe<string>({
        type: 'string',
        enum: [...Object.values(STATUS).map(({ code }) => code), 'SESSION_SUPERSEDED'],
      }),
      message: Type.String(),
      reason: Type.Optional(Type.Unsafe<string>({ type: 'string', enum: FAILURE_REASONS })),
      field: Type.Optional(Type.String()),
    }),
  },
  { title: 'Error' },
)
/** The body of an error response. */
export type ErrorEnvelope = Static<typeof ErrorEnvelope>

/** An error response. `retryAfter` is in seconds. */
export type RenderedError = {
  status: number
  body: ErrorEnvelope
  retryAfter: number | null
  rate: RateState | null
}

/** Converts a failure to an error response in the caller's language; no other code does. */
export function renderFailure(failure: Failure, language: Language = 'pt-BR'): RenderedError {
  const { status, code } = STATUS[failure.kind]
  const { reason, field, retryAfter, rate } = failure.details
  const error = {
    code: failure.details.code ?? code,
    message: failure.sentence(phrasesIn(language)),
    ...(reason ? { reason } : {}),
    ...(field ? { field: field.slice(0, MAX_FIELD_LENGTH) } : {}),
  }
  return {
    status,
    body: { error },
    retryAfter: retryAfter ?? (failure.kind === 'unavailable' ? 2 : null),
    rate: rate ?? null,
  }
}

/** Converts any thrown value to a Failure; unexpected errors become `internal`. */
export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error
  const refusal = accessFailure(error)
  if (refusal) return refusal
  const resource = exhaustedResource(error)
  if (resource === 'disk') {
    return fail('insufficient_storage', (say) => say.http.diskFull, { cause: error })
  }
  if (resource === 'files') {
    const retryAfter = BUSY_SECONDS
    return fail('unavailable', (say) => say.http.tooManyFiles, { cause: error, retryAfter })
  }
  if (isDatabaseUnavailable(error)) {
    return fail('unavailable', (say) => say.http.databaseAway, { cause: error })
  }
  if (error instanceof SemaphoreTimeout) {
    return fail('unavailable', (say) => say.http.crowded, {
      cause: error,
      retryAfter: BUSY_SECONDS,
    })
  }
  return fail('internal', (say) => say.http.internal, { cause: error })
}
