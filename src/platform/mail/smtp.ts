import type { Mailer } from './mail.port.ts'

/** Sends through an SMTP server. */
export function createSmtpMailer(smtpUrl: string, from: string): Mailer {
  return {
    async send(mail) {
      // Loaded when the first mail goes out: most starts send none.
      const { createTransport } = await import('nodemailer')
      await createTransport(smtpUrl).sendMail({ ...mail, from })
    },
  }
}
