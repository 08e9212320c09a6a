import { Type, type Static } from 'typebox'

/** The kinds of alerts (G59). */
export const ALERT_KINDS = [
  'instance_down',
  'webhook_failing',
  'credits_low',
  'payment_due',
] as const
/** The schema of an alert's kind. */
export const AlertKind = Type.Enum([...ALERT_KINDS])
/** The kind of an alert. */
export type AlertKind = (typeof ALERT_KINDS)[number]

/** The alerts that a user receives by mail, and those they may choose. */
export const AlertSettings = Type.Object(
  {
    /** The kinds that the user receives. */
    kinds: Type.Array(AlertKind),
    /** The kinds that the role of the user allows. */
    allowed: Type.Array(AlertKind),
    /** The balance below which the company is alerted, in credits. */
    creditsBelow: Type.Integer(),
  },
  { title: 'AlertSettings' },
)
export type AlertSettings = Static<typeof AlertSettings>

/** Body that changes the alerts of a user. */
export const SaveAlertsBody = Type.Object(
  {
    kinds: Type.Array(AlertKind, { maxItems: 10 }),
    creditsBelow: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  },
  { additionalProperties: false },
)
export type SaveAlertsBody = Static<typeof SaveAlertsBody>
