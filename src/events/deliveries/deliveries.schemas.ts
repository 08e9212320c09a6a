import { Type, type Static } from 'typebox'
import { Nullable, Page, PageQuery, Timestamp, Words } from '../../kernel/schemas.ts'
import { EVENT_NAMES } from '../catalog/index.ts'
import { InboxRequest } from '../inboxes/inboxes.schemas.ts'

/** One delivery attempt in the log (G48). */
export const DeliveryAttempt = Type.Object(
  {
    id: Type.Integer(),
    event: Words(EVENT_NAMES, 'EventName'),
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
/** A delivery attempt as the API returns it. */
export type DeliveryAttempt = Static<typeof DeliveryAttempt>

/** A page of delivery attempts, newest first. */
export const DeliveryLog = Page(DeliveryAttempt, 'DeliveryLog')

/** Page and filter of the delivery log. */
export const DeliveryLogQuery = Type.Object({
  ...PageQuery,
  event: Type.Optional(Words(EVENT_NAMES, 'EventName')),
  outcome: Type.Optional(
    Type.Unsafe<'success' | 'failed'>({
      type: 'string',
      enum: ['success', 'failed'],
      description: 'Só tentativas com este resultado, entre as 20.000 mais recentes',
    }),
  ),
})
/** A validated query of the delivery log. */
export type DeliveryLogQuery = Static<typeof DeliveryLogQuery>

/** The panel's filter of a webhook's events; `before` is the cursor of the previous page. */
export const DeliveredEventQuery = Type.Object({
  outcome: Type.Optional(Words(['success', 'failed'])),
  event: Type.Optional(Words(EVENT_NAMES, 'EventName')),
  /** The class of the HTTP status of the newest attempt; `none` for attempts without a response. */
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
/** A validated filter of a webhook's events. */
export type DeliveredEventQuery = Static<typeof DeliveredEventQuery>

/** An event with its delivery state for one webhook and its attempts, oldest first. */
export const DeliveredEvent = Type.Object(
  {
    eventId: Type.String(),
    event: Words(EVENT_NAMES, 'EventName'),
    outcome: Words(['success', 'retrying', 'failed']),
    nextAttemptAt: Nullable(Timestamp),
    attempts: Type.Array(DeliveryAttempt),
  },
  { title: 'DeliveredEvent' },
)
/** An event with its delivery state for one webhook. */
export type DeliveredEvent = Static<typeof DeliveredEvent>

/** `before` is the cursor of the next page, null on the last one. A page may be short or empty even if more follow. */
export const DeliveredEvents = Type.Object(
  { items: Type.Array(DeliveredEvent), before: Nullable(Type.Integer()) },
  { title: 'DeliveredEvents' },
)

/**
 * Requests that an inbox received. `signature.genuine` reports whether the webhook named in the headers signed the
 * request; `signature` is null if the headers name no webhook of this Project and mode.
 */
export const VerifiedRequests = Type.Object(
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
/** Requests of an inbox with verified signatures. */
export type VerifiedRequests = Static<typeof VerifiedRequests>

/** Delivery statistics of the last 24 hours; the hourly arrays start at `from`, oldest first. */
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
/** Delivery statistics of the last 24 hours. */
export type DeliveryHealth = Static<typeof DeliveryHealth>
