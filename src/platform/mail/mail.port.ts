export type Mail = { to: string; subject: string; text: string }

/** Sends mail; resolves once the mail is out of our hands. Drivers: `smtp.ts`, `mail-files.ts`. */
export type Mailer = {
  send(mail: Mail): Promise<void>
  /** The last mails, the newest first, of a driver whose mails stay on this machine. */
  recent?: () => (Mail & { at: string })[]
}
