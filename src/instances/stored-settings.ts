import type { HistorySync } from '../model/history.schemas.ts'
import type { Pace } from '../model/pace.schemas.ts'

/** The settings of an instance. */
export type CompleteSettings = {
  rejectCalls: boolean
  readMessages: boolean
  ignoreGroups: boolean
  downloadMedia: boolean
  /** Whether it may post to its status and in channels. */
  publishing: boolean
  sendDelayMinMs: number
  sendDelayMaxMs: number
  historySync: HistorySync
  pace: Pace
  /** Sealed and base64-encoded, because the URL may contain a password. */
  proxyUrlSealed: string | null
}

/** Settings as stored in the `settings` column: an instance created before a setting existed lacks it. */
export type StoredSettings = Omit<CompleteSettings, 'historySync' | 'pace' | 'publishing'> &
  Partial<Pick<CompleteSettings, 'historySync' | 'pace' | 'publishing'>>

/** The settings of a new instance. */
export const DEFAULT_SETTINGS: CompleteSettings = {
  rejectCalls: false,
  readMessages: false,
  ignoreGroups: false,
  downloadMedia: true,
  publishing: false,
  sendDelayMinMs: 0,
  sendDelayMaxMs: 0,
  historySync: 'none',
  pace: 'off',
  proxyUrlSealed: null,
}

/** Adds the defaults of settings that are not stored. */
export const withDefaults = (stored: StoredSettings): CompleteSettings => ({
  ...DEFAULT_SETTINGS,
  ...stored,
})
