import type { Mailer } from './mail.port.ts'
import { openTransport } from './smtp-transport.ts'

/** How long the server may take for one step. */
const STEP_MS = 30_000

/** Sends mail through an SMTP server. */
export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  return {
    async send(mail) {
      const transport = await openTransport(smtpUrl, STEP_MS)
      await transport.sendMail({ ...mail, from })
    },
  }
}
