import { say } from './phrases.ts'
import type { Phrases } from './spoken.ts'

export type FailureKind =
  | 'bad_request'
  | 'unauthorized'
  | 'payment_required'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'payload_too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'upgrade_required'
  | 'rate_limited'
  | 'internal'
  | 'unavailable'
  | 'insufficient_storage'

/** Every `reason` of an error response. */
export const FAILURE_REASONS = [
  'SUBSCRIPTION_REQUIRED',
  'INSUFFICIENT_CREDITS',
  'API_NOT_ENABLED',
  'ADDON_REQUIRED',
  'DAILY_CAP_REACHED',
  'KEY_RESTRICTED',
  'KEY_RATE_LIMIT',
  'PACE_LIMIT',
  'INSTANCE_NOT_CONNECTED',
  'OUTSIDE_WINDOW',
  'NOT_ON_NETWORK',
  'NOT_PUBLISHABLE',
  'PUBLISHING_DISABLED',
  'IDEMPOTENCY_MISMATCH',
  'OTP_REQUIRED',
] as const
type FailureReason = (typeof FAILURE_REASONS)[number]

/**
 * The state of a rate limit after a request: `remaining` of `limit` are left until it resets in `resetSeconds`.
 * `policy` names it: the limit of a key, in requests per minute, or the daily cap of test mode, in messages.
 */
export type RateState = {
  policy: 'key' | 'test-day'
  limit: number
  windowSeconds: number
  remaining: number
  resetSeconds: number
}

type FailureDetails = {
  /** Sent to the caller with the code where one status has several causes. */
  reason?: FailureReason
  /** Path of the field that the error is about, such as `recipients[3].to`; empty if it concerns no single field. */
  field?: string
  /** A sentence for the log only. */
  internal?: string
  /** Replaces the code that the kind implies. */
  code?: 'SESSION_SUPERSEDED'
  /** Seconds, for the header Retry-After. */
  retryAfter?: number
  /** The rate limit that was exceeded, for the RateLimit headers. */
  rate?: RateState
  cause?: unknown
}

/** An error with a sentence for the caller and one for the log (`details.internal`). */
export class Failure extends Error {
  readonly kind: FailureKind
  readonly details: FailureDetails
  /** The caller's sentence in a language; `message` holds the Portuguese one. */
  readonly sentence: (say: Phrases) => string

  constructor(kind: FailureKind, sentence: (say: Phrases) => string, details: FailureDetails) {
    super(sentence(say), { cause: details.cause })
    this.name = 'Failure'
    this.kind = kind
    this.details = details
    this.sentence = sentence
  }
}

/**
 * Creates the error to throw: `throw fail('not_found', (say) => say.webhooks.notFound)`. Only
 * `platform/http/error-envelope.ts` converts it to a response.
 */
export function fail(
  kind: FailureKind,
  sentence: (say: Phrases) => string,
  details: FailureDetails = {},
): Failure {
  return new Failure(kind, sentence, details)
}

/** A fault found before the server runs: one sentence on the terminal, exit code 1, no stack. */
export class StartFault extends Error {
  constructor(sentence: string, cause?: unknown) {
    super(sentence, { cause })
    this.name = 'StartFault'
  }
}

/** Runs a validation of the part of a request at `path`, and prefixes `path` to the field named by a failure. */
export async function within<T>(path: string, check: () => T | Promise<T>): Promise<T> {
  try {
    return await check()
  } catch (error) {
    if (!(error instanceof Failure) || !error.details.field) throw error
    const field = `${path}.${error.details.field}`
    throw new Failure(error.kind, error.sentence, { ...error.details, field })
  }
}
