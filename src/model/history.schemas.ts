import { Type, type Static } from 'typebox'

/** Which messages from before the pairing an instance stores: none, those of the last months, or all that the phone has. */
export const HISTORY_SYNCS = ['none', 'recent', 'full'] as const

/** One of `HISTORY_SYNCS`. */
export const HistorySync = Type.Unsafe<(typeof HISTORY_SYNCS)[number]>({
  type: 'string',
  enum: [...HISTORY_SYNCS],
})
export type HistorySync = Static<typeof HistorySync>
