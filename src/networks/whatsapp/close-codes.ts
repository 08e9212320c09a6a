import type { DisconnectReason } from '../../model/vocabulary.ts'

/** What a session does after its connection has closed. */
export type CloseAction =
  /** Reconnect immediately, without reporting a disconnect. */
  | { next: 'restart' }
  /** Reconnect after a backoff. */
  | { next: 'retry' }
  /** All pairing codes have expired. */
  | { next: 'codes_expired' }
  /** Another client replaced this one: reconnect once after half a minute; if replaced again, stay disconnected. */
  | { next: 'yield' }
  /** The account has to be paired again. */
  | { next: 'log_out'; reason: DisconnectReason }
  | { next: 'ban' }
  /** Banned temporarily; the credentials stay valid. */
  | { next: 'suspend' }
  /** WhatsApp rejects this client version: reconnect with another one. */
  | { next: 'outdated' }

/** Maps WhatsApp's close code to what its table of codes requires of clients; unknown codes are retried. */
export function closeActionOf(code: number | undefined, paired: boolean): CloseAction {
  switch (code) {
    case 515:
      return { next: 'restart' }
    case 401:
      return { next: 'log_out', reason: 'device_removed' }
    case 411:
      return { next: 'log_out', reason: 'logged_out' }
    case 402:
      return { next: 'suspend' }
    case 403:
    case 406:
      return { next: 'ban' }
    case 405:
    case 409:
      return { next: 'outdated' }
    case 440:
      return { next: 'yield' }
    case 408:
      return paired ? { next: 'retry' } : { next: 'codes_expired' }
    default:
      return { next: 'retry' }
  }
}

/** The engine's error for a closed connection. */
export type EngineError = {
  message: string
  output?: { statusCode?: number }
  data?: Record<string, string> | null
}

const MIN_BAN_MS = 60_000

/** Returns the duration of a temporary ban in milliseconds; null if WhatsApp does not announce it. */
export function banDurationOf(error: EngineError | undefined): number | null {
  const seconds = Number(error?.data?.['expire'] ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.max(seconds * 1000, MIN_BAN_MS) : null
}
