import { isChannel } from '../model/publishing.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** How long after sending WhatsApp allows a message of this chat to be edited, in milliseconds. */
export const editWindowOf = (chatId: string): number =>
  isChannel(chatId) ? 30 * DAY_MS : 15 * MINUTE_MS

/** How long after sending WhatsApp allows a message of this chat to be deleted for everyone, in milliseconds. */
export const revokeWindowOf = (chatId: string): number =>
  isChannel(chatId) ? 30 * DAY_MS : 60 * HOUR_MS
