import type { TSchema } from 'typebox'
import { say } from '../../kernel/phrases/phrases.ts'
import { ErrorEnvelope } from './error-envelope.ts'

/** One example of each error status, for the API reference. A route may replace its sentence. */
const EXAMPLES = {
  400: { code: 'BAD_REQUEST', message: say.http.unknownField('foo') },
  401: { code: 'UNAUTHORIZED', message: say.auth.missing },
  402: {
    code: 'PAYMENT_REQUIRED',
    message: say.billing.subscriptionRequired,
    reason: 'SUBSCRIPTION_REQUIRED',
  },
  403: { code: 'FORBIDDEN', message: say.projects.inactive },
  404: { code: 'NOT_FOUND', message: say.instances.notFound },
  409: {
    code: 'CONFLICT',
    message: say.instances.notConnected,
    reason: 'INSTANCE_NOT_CONNECTED',
  },
  413: { code: 'PAYLOAD_TOO_LARGE', message: say.http.tooLargeBody('1 MiB') },
  415: { code: 'UNSUPPORTED_MEDIA_TYPE', message: say.http.mediaType },
  416: { code: 'RANGE_NOT_SATISFIABLE', message: say.http.outsideFile(34512) },
  426: { code: 'UPGRADE_REQUIRED', message: say.streams.upgrade },
  429: { code: 'RATE_LIMITED', message: say.keys.rateLimit(600, 12), reason: 'KEY_RATE_LIMIT' },
  500: { code: 'INTERNAL_ERROR', message: say.http.internal },
  503: { code: 'UNAVAILABLE', message: say.http.databaseAway },
  507: { code: 'INSUFFICIENT_STORAGE', message: say.http.diskFull },
} as const

/** The faults of the server, which the reference lists under one range. */
const FAULTS = [500, 503, 507] as const
/** Their examples by code. */
export const FAULT_EXAMPLES = Object.fromEntries(
  FAULTS.map((status) => [EXAMPLES[status].code, { value: { error: EXAMPLES[status] } }]),
)

/** An error status with an example. */
export type ErrorStatus = keyof typeof EXAMPLES
type Errors = Record<ErrorStatus, typeof ErrorEnvelope>

/**
 * The response schemas of a route: its own and those of errors every route can return (400 for the URL alone), each
 * with an example. `own` replaces the sentence of an example where the route's differs.
 */
export function responses<Success extends Record<number, TSchema>>(
  success: Success,
  statuses: ErrorStatus[],
  own: Partial<Record<ErrorStatus, string>> = {},
): Success & Errors {
  const all = new Set<ErrorStatus>([400, ...statuses, 500, 503])
  // A route that accepts large bodies can fill the disk.
  if (statuses.includes(413)) all.add(507)
  // 402 marks the routes for API keys, which may have a rate limit.
  if (statuses.includes(402)) all.add(429)
  const errors = Object.fromEntries(
    [...all].map((status) => {
      const example = { ...EXAMPLES[status], message: own[status] ?? EXAMPLES[status].message }
      return [
        status,
        {
          ...ErrorEnvelope,
          description: own[status] ?? example.code,
          examples: [{ error: example }],
        },
      ]
    }),
  )
  return { ...success, ...errors } as unknown as Success & Errors
}
