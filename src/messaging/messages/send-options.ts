import type { Party } from '../../model/records.schemas.ts'

/** Options stored with a message for the outbound worker; absent ones have their defaults. */
export type SendOptions = {
  typingMs?: number
  /** Delay after acceptance. Stored only for a file that must be fetched first; otherwise `dueAt` includes it. */
  delayMs?: number
  /** Author of the message that this one refers to, such as the target of a reaction. */
  target?: { fromMe: boolean; sender: Party }
  /** The member who sent the message in the panel. */
  sentBy?: string
}
