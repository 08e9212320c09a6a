import type { DisconnectReason } from '../../records/records.schemas.ts'

/** What becomes of a session whose line has ended. */
export type Ending =
  /** Open the next line at once; nobody need know. */
  | { then: 'restart' }
  /** Open the next one after a while. */
  | { then: 'retry' }
  /** The codes are used up. */
  | { then: 'codes_expired' }
  /** Somebody else took the account's place: once more after half a minute, then no more. */
  | { then: 'yield' }
  /** The account has to be paired again. */
  | { then: 'log_out'; reason: DisconnectReason }
  | { then: 'ban'; reason: DisconnectReason }
  /** This version is refused: nothing helps but another. */
  | { then: 'outdated' }

/** Source: the table of WhatsApp's codes, by what clients have to do. */
export function endingOf(code: number | undefined, paired: boolean): Ending {
  switch (code) {
    case 515:
      return { then: 'restart' }
    case 401:
      return { then: 'log_out', reason: 'device_removed' }
    case 411:
      return { then: 'log_out', reason: 'logged_out' }
    case 402:
    case 403:
    case 406:
      return { then: 'ban', reason: 'banned' }
    case 405:
    case 409:
      return { then: 'outdated' }
    case 440:
      return { then: 'yield' }
    case 408:
      return paired ? { then: 'retry' } : { then: 'codes_expired' }
    default:
      return { then: 'retry' }
  }
}
