import { Type, type Static } from 'typebox'
import { Cursor, CursorPage, PageQuery, Timestamp, Words } from '../kernel/schemas.ts'
import { EVENT_NAMES } from './catalog/index.ts'

/** The options that add events to the default ones, by API name, with their stored names. */
export const OPT_INS = {
  own: 'outbound',
  edits: 'edits',
  sent: 'sent',
  backfill: 'backfill',
} as const
/** An option that adds events, under its name in the API. */
export type OptInName = keyof typeof OPT_INS
/** The options in display order. */
export const OPT_IN_NAMES = Object.keys(OPT_INS) as OptInName[]
/** An option that adds events, under its stored name. */
export type OptIn = (typeof OPT_INS)[OptInName]

/** The kinds of subject whose events are also written to the 30-day history. */
const HISTORY_KINDS = ['group', 'label', 'call'] as const
/** The kind of subject that an event in the history is about. */
export type HistoryKind = (typeof HISTORY_KINDS)[number]

/** Query of the event history; `before` is the cursor of the previous page. */
export const EventHistoryQuery = Type.Object({
  limit: PageQuery.limit,
  kind: Words(HISTORY_KINDS),
  /** Id of one group, label or call; omitted, the events of every subject of the kind are returned. */
  subject: Type.Optional(Type.String({ maxLength: 200 })),
  before: Cursor('evt'),
})
/** A validated query of the event history. */
export type EventHistoryQuery = Static<typeof EventHistoryQuery>

/** An event envelope, exactly as it was delivered to webhooks. */
export const HistoryEnvelope = Type.Object(
  {
    event: Words(EVENT_NAMES, 'EventName'),
    instanceId: Type.String(),
    timestamp: Timestamp,
    data: Type.Object({ eventId: Type.String() }, { additionalProperties: true }),
  },
  { title: 'KeptEvent' },
)
/** A validated event envelope from the history. */
export type HistoryEnvelope = Static<typeof HistoryEnvelope>
/** A page of the event history, newest first. */
export const EventHistory = CursorPage(HistoryEnvelope, 'KeptEvents')
/** A page of the event history, newest first. */
export type EventHistory = Static<typeof EventHistory>
