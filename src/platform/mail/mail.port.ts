/** A plain-text mail. */
export type Mail = { to: string; subject: string; text: string }

/** Sends mail; `send` resolves once the mail has been handed over. Drivers: `smtp.ts`, `mail-files.ts`. */
export type Mailer = {
  /** Throws if the mail could not be handed over. */
  send(mail: Mail): Promise<void>
  /** The most recent mails, newest first. Only for a driver whose mails stay on this machine. */
  recent?: () => (Mail & { at: string })[]
}
