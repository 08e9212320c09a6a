import type { Mailer } from './mail.port.ts'

/** Sends mail through an SMTP server. */
export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  return {
    async send(mail) {
      // Loaded with the first mail, because most processes send none.
      const { createTransport } = await import('nodemailer')
      await createTransport(smtpUrl).sendMail({ ...mail, from })
    },
  }
}
