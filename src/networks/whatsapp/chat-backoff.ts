import type { Clock } from '../../kernel/clock.ts'

const FIRST_MS = 5000
const FACTOR = 3
const MAX_MS = 300_000
/** Consecutive failures after which a message fails permanently: 5 + 15 + 45 + 135 seconds after the first. */
const MAX_FAILURES = 5
/** Failures per minute from which on an account sends only to chats that worked before. */
const FAILURES_PER_MINUTE = 10
const MINUTE_MS = 60_000
const MAX_CHATS = 10_000

type Failure = { count: number; until: number }

/**
 * Tracks which chats of an account must wait because their last message failed for a reason of its own, such as
 * rejected keys or a rejected file. Also limits how often the account requests keys in vain.
 */
export function createChatBackoff(clock: Clock) {
  const failures = new Map<string, Failure>()
  /** Chats whose last message was sent successfully since the session opened. */
  const proven = new Set<string>()
  let recent: number[] = []

  function bound(chats: { size: number; clear(): void }): void {
    if (chats.size >= MAX_CHATS) chats.clear()
  }

  return {
    /** Returns the time (milliseconds since the epoch) until which this chat must wait; null if it may send now. */
    blockedUntil(chatId: string): number | null {
      const now = clock.now()
      const own = failures.get(chatId)
      if (own && own.until > now) return own.until
      recent = recent.filter((at) => at > now - MINUTE_MS)
      const oldest = recent.length >= FAILURES_PER_MINUTE && !proven.has(chatId) ? recent[0] : null
      return oldest ? oldest + MINUTE_MS : null
    },

    /** Records a failure. Returns when to retry, or null if the message has failed permanently. */
    failed(chatId: string): number | null {
      const now = clock.now()
      recent.push(now)
      proven.delete(chatId)
      const count = (failures.get(chatId)?.count ?? 0) + 1
      const until = now + Math.min(MAX_MS, FIRST_MS * FACTOR ** (count - 1))
      bound(failures)
      const isFinal = count >= MAX_FAILURES
      // The next message of the chat has attempts of its own.
      failures.set(chatId, { count: isFinal ? 0 : count, until })
      return isFinal ? null : until
    },

    /** Records a success, which ends the chat's backoff. */
    succeeded(chatId: string): void {
      failures.delete(chatId)
      bound(proven)
      proven.add(chatId)
    },
  }
}
