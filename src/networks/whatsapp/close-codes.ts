import type { DisconnectReason } from '../../model/records.schemas.ts'

/** What becomes of a session whose line has ended. */
export type Ending =
  /** Open the next line at once; nobody need know. */
  | { next: 'restart' }
  /** Open the next one after a while. */
  | { next: 'retry' }
  /** The codes are used up. */
  | { next: 'codes_expired' }
  /** Somebody else took the account's place: once more after half a minute, then no more. */
  | { next: 'yield' }
  /** The account has to be paired again. */
  | { next: 'log_out'; reason: DisconnectReason }
  | { next: 'ban' }
  /** Banned for a while; what it was paired with stays good. */
  | { next: 'suspend' }
  /** This version is refused: nothing helps but another. */
  | { next: 'outdated' }

/** Source: the table of WhatsApp's codes, by what clients have to do. */
export function endingOf(code: number | undefined, paired: boolean): Ending {
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

/** What the engine says of the end of a line. */
export type Boom = {
  message: string
  output?: { statusCode?: number }
  data?: Record<string, string> | null
}

const SHORTEST_BAN_MS = 60_000

/** How long a ban for a while lasts, in milliseconds; null where WhatsApp does not say. */
export function banOf(error: Boom | undefined): number | null {
  const seconds = Number(error?.data?.['expire'] ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.max(seconds * 1000, SHORTEST_BAN_MS) : null
}
