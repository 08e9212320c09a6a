import { Type, type Static } from 'typebox'
import { PageBefore, PageQuery, Timestamp } from '../kernel/shapes.ts'
import { Words } from '../model/records.schemas.ts'
import { EVENT_NAMES } from './catalog/index.ts'

/** The kinds of subject whose events are also written to the 30-day history. */
const KEPT_KINDS = ['group', 'label', 'call'] as const
/** The kind of subject that an event in the history is about. */
export type KeptKind = (typeof KEPT_KINDS)[number]

/** Query of the event history; `before` is the cursor of the previous page. */
export const KeptEventQuery = Type.Object({
  limit: PageQuery.limit,
  kind: Words(KEPT_KINDS),
  /** Id of one group, label or call; omitted, the events of every subject of the kind are returned. */
  subject: Type.Optional(Type.String({ maxLength: 200 })),
  before: Type.Optional(Type.String({ maxLength: 100 })),
})
/** A validated query of the event history. */
export type KeptEventQuery = Static<typeof KeptEventQuery>

/** An event envelope, exactly as it was delivered to webhooks. */
export const KeptEnvelope = Type.Object(
  {
    event: Words(EVENT_NAMES),
    instanceId: Type.String(),
    timestamp: Timestamp,
    data: Type.Object({ eventId: Type.String() }, { additionalProperties: true }),
  },
  { title: 'KeptEvent' },
)
/** A validated event envelope from the history. */
export type KeptEnvelope = Static<typeof KeptEnvelope>
/** A page of the event history, newest first. */
export const KeptEvents = PageBefore(KeptEnvelope, 'KeptEvents')
/** A page of the event history, newest first. */
export type KeptEvents = Static<typeof KeptEvents>
