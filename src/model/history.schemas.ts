import type { Static } from 'typebox'
import { HISTORY_SYNCS } from './vocabulary.ts'
import { Words } from '../kernel/schemas.ts'

/** One of `HISTORY_SYNCS`. */
export const HistorySync = Words(HISTORY_SYNCS)
export type HistorySync = Static<typeof HistorySync>
