import { Type, type Static } from 'typebox'

/** Of what people are told by mail. Source: panel §2. */
export const ALERT_KINDS = [
  'instance_down',
  'webhook_failing',
  'credits_low',
  'payment_due',
] as const
export const AlertKind = Type.Enum([...ALERT_KINDS])
export type AlertKind = (typeof ALERT_KINDS)[number]

export const AlertSettings = Type.Object(
  {
    /** Of what the person is told. */
    kinds: Type.Array(AlertKind),
    /** Of what somebody in this role may be told. */
    allowed: Type.Array(AlertKind),
    /** Below how many credits the company is told. */
    creditsBelow: Type.Integer(),
  },
  { title: 'AlertSettings' },
)
export type AlertSettings = Static<typeof AlertSettings>

export const SaveAlertsBody = Type.Object(
  {
    kinds: Type.Array(AlertKind, { maxItems: 10 }),
    creditsBelow: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000_000 })),
  },
  { additionalProperties: false },
)
export type SaveAlertsBody = Static<typeof SaveAlertsBody>
