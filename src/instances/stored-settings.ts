import type { HistorySync } from '../model/history.schemas.ts'
import type { Pace } from '../model/pace.schemas.ts'

/** Settings as stored in the `settings` column. */
export type StoredSettings = {
  rejectCalls: boolean
  readMessages: boolean
  ignoreGroups: boolean
  downloadMedia: boolean
  sendDelayMinMs: number
  sendDelayMaxMs: number
  historySync: HistorySync
  pace: Pace
  /** Sealed and base64-encoded, because the URL may contain a password. */
  proxyUrlSealed: string | null
}
