import { Type, type Static } from 'typebox'
import { PageBefore, PageQuery, Timestamp } from '../kernel/shapes.ts'
import { Words } from '../model/records.schemas.ts'
import { EVENT_NAMES } from './catalog/index.ts'

/** Whose events stay when those of their day go. */
const KEPT_KINDS = ['group', 'label', 'call'] as const
export type KeptKind = (typeof KEPT_KINDS)[number]

export const KeptEventQuery = Type.Object({
  limit: PageQuery.limit,
  kind: Words(KEPT_KINDS),
  /** The group, label or call whose events are wanted; all of the kind without it. */
  subject: Type.Optional(Type.String({ maxLength: 200 })),
  before: Type.Optional(Type.String({ maxLength: 100 })),
})
export type KeptEventQuery = Static<typeof KeptEventQuery>

/** An event as webhooks got it. */
export const KeptEnvelope = Type.Object(
  {
    event: Words(EVENT_NAMES),
    instanceId: Type.String(),
    timestamp: Timestamp,
    data: Type.Object({ eventId: Type.String() }, { additionalProperties: true }),
  },
  { title: 'KeptEvent' },
)
export type KeptEnvelope = Static<typeof KeptEnvelope>
export const KeptEvents = PageBefore(KeptEnvelope, 'KeptEvents')
export type KeptEvents = Static<typeof KeptEvents>
