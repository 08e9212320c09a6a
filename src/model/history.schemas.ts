import { Type, type Static } from 'typebox'

/** How much history from before the pairing is stored: none, recent months, or all the phone has. */
export const HISTORY_SYNCS = ['none', 'recent', 'full'] as const

/** One of `HISTORY_SYNCS`. */
export const HistorySync = Type.Unsafe<(typeof HISTORY_SYNCS)[number]>({
  type: 'string',
  enum: [...HISTORY_SYNCS],
})
export type HistorySync = Static<typeof HistorySync>
