import { Type, type Static } from 'typebox'
import { Nullable, Page, Timestamp } from '../http/answers.ts'
import { EVENT_NAMES } from '../events/catalog/index.ts'
import { Words } from '../records/records.schemas.ts'

/** One attempt. Source: specification §2.4. */
export const DeliveryAttempt = Type.Object(
  {
    id: Type.Integer(),
    event: Words(EVENT_NAMES),
    attempt: Type.Integer({ minimum: 1, maximum: 6 }),
    statusCode: Nullable(Type.Integer()),
    outcome: Words(['success', 'failed']),
    errorReason: Nullable(Type.String()),
    durationMs: Type.Integer(),
    createdAt: Timestamp,
  },
  {
    title: 'DeliveryAttempt',
    examples: [
      {
        id: 42,
        event: 'message.received',
        attempt: 1,
        statusCode: 500,
        outcome: 'failed',
        errorReason: 'HTTP 500',
        durationMs: 87,
        createdAt: '2026-11-20T12:00:00.000Z',
      },
    ],
  },
)
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

export const DeliveryLog = Page(DeliveryAttempt, 'DeliveryLog')
