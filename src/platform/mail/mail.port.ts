/** A mail, with the same content as plain text and as HTML. */
export type Mail = { to: string; subject: string; text: string; html: string }

/** A mail that was sent, as the panel shows it on a server without SMTP. */
export type RecentMail = Omit<Mail, 'html'> & { at: string }

/** Sends mail; `send` resolves once the mail has been handed over. Drivers: `smtp.ts`, `mail-files.ts`. */
export type Mailer = {
  /** Throws if the mail could not be handed over. */
  send(mail: Mail): Promise<void>
  /** The most recent mails, newest first. Only for a driver whose mails stay on this machine. */
  recent?: () => RecentMail[]
}
