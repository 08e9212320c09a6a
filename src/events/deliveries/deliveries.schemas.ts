import { Type, type Static } from 'typebox'
import { Nullable, Page, Timestamp } from '../../kernel/shapes.ts'
import { EVENT_NAMES } from '../catalog/index.ts'
import { InboxRequest } from '../inboxes/inboxes.schemas.ts'
import { Words } from '../../model/records.schemas.ts'

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

/** Which events of a webhook are asked for, in the panel. */
export const DeliveredEventQuery = Type.Object({
  outcome: Type.Optional(Words(['success', 'failed'])),
  event: Type.Optional(Words(EVENT_NAMES)),
  /** The class of the HTTP status of the newest attempt; `none`: there was no answer. */
  status: Type.Optional(Words(['2xx', '3xx', '4xx', '5xx', 'none'])),
  hours: Type.Integer({ minimum: 1, maximum: 720, default: 720 }),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'A part of the reason' })),
  before: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'The cursor of the last page',
    }),
  ),
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
})
export type DeliveredEventQuery = Static<typeof DeliveredEventQuery>

/** An event on its way to a webhook: its attempts, oldest first. */
export const DeliveredEvent = Type.Object(
  {
    eventId: Type.String(),
    event: Words(EVENT_NAMES),
    outcome: Words(['success', 'retrying', 'failed']),
    nextAttemptAt: Nullable(Timestamp),
    attempts: Type.Array(DeliveryAttempt),
  },
  { title: 'DeliveredEvent' },
)
export type DeliveredEvent = Static<typeof DeliveredEvent>

/** `before`: where to look further; null when there is nothing before. A page may be short or empty with more before it. */
export const DeliveredEvents = Type.Object(
  { items: Type.Array(DeliveredEvent), before: Nullable(Type.Integer()) },
  { title: 'DeliveredEvents' },
)

/** What an inbox received, and whether the webhook that it says it is from has signed it; null of what names none of ours. */
export const CheckedRequests = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        ...InboxRequest.properties,
        signature: Nullable(Type.Object({ webhookName: Type.String(), genuine: Type.Boolean() })),
      }),
    ),
  },
  { title: 'CheckedRequests' },
)
export type CheckedRequests = Static<typeof CheckedRequests>

/** How the deliveries of the last 24 hours went. */
export const DeliveryHealth = Type.Object(
  {
    from: Timestamp,
    p95Ms: Nullable(Type.Integer({ description: 'Of the last 200 attempts of each webhook' })),
    p95ByHour: Type.Array(Nullable(Type.Integer()), {
      description: 'Estimated from counts, from `from` on; null where nothing was delivered',
    }),
    webhooks: Type.Array(
      Type.Object({
        webhookId: Type.String(),
        delivered: Type.Array(Type.Integer(), { description: 'By the hour, from `from` on' }),
        failed: Type.Array(Type.Integer()),
      }),
    ),
    failures: Type.Array(
      Type.Object({
        webhookId: Type.String(),
        webhookName: Type.String(),
        ...DeliveryAttempt.properties,
      }),
    ),
  },
  { title: 'DeliveryHealth' },
)
export type DeliveryHealth = Static<typeof DeliveryHealth>
