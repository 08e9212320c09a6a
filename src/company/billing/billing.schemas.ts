import { Type, type Static } from 'typebox'
import { Nullable, Timestamp } from '../../kernel/schemas.ts'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

/** Path parameters of a usage report. */
export const UsagePath = Type.Object({ mode: Type.Enum(['test', 'production'] as const) })
/** The first and last day of a usage report, as YYYY-MM-DD. */
export const UsageQuery = Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) })
export type UsageQuery = Static<typeof UsageQuery>

/** Messages by day, instance and key. */
export const Usage = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          day: Day,
          instanceId: Type.String(),
          keyId: Nullable(Type.String()),
          sent: Type.Integer(),
          received: Type.Integer(),
        },
        { title: 'UsageRow' },
      ),
    ),
  },
  { title: 'Usage' },
)

/** The usage as the API returns it. */
export const PublicUsage = Type.Object(Usage.properties, {
  title: 'Usage',
  examples: [
    {
      items: [
        {
          day: '2026-11-23',
          instanceId: 'ins_01jcqz3v8xf6k9m2n4p5r7s8t9',
          keyId: 'key_01jcqz3v8xf6k9m2n4p5r7s8t9',
          sent: 120,
          received: 34,
        },
      ],
    },
  ],
})

/** The daily message cap of test mode and how much of it is used today (G40). */
export const Cap = Type.Object(
  { used: Type.Integer(), limit: Type.Integer(), resetsAt: Timestamp },
  { title: 'Cap' },
)

/** Ledger entries that added credits: purchases, operator grants and opening balances. */
export const CreditEntries = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          at: Timestamp,
          cause: Type.Enum(['opening', 'grant', 'purchase'] as const),
          amount: Type.Integer(),
        },
        { title: 'CreditEntry' },
      ),
    ),
  },
  { title: 'CreditEntries' },
)
export type CreditEntries = Static<typeof CreditEntries>
