import { Type, type Static } from 'typebox'

const Day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })

export const UsagePath = Type.Object({ mode: Type.Enum(['test', 'production'] as const) })
export const UsageQuery = Type.Object({ from: Type.Optional(Day), to: Type.Optional(Day) })
export type UsageQuery = Static<typeof UsageQuery>
