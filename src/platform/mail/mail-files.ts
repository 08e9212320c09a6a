import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import type { Mailer, RecentMail } from './mail.port.ts'

const MAX_RECENT = 20

const LINK = /https?:\/\/\S+/

/** Writes each mail to a file, atomically by renaming it, and logs its subject and first link (G64). */
export function createMailFiles(deps: {
  dir: string
  from: string
  clock: Clock
  logger: Logger
  /** Whether links are logged with their tokens, as on a developer's own machine. */
  showTokens: boolean
}): Mailer {
  const { dir, from, clock, logger, showTokens } = deps
  const kept: RecentMail[] = []
  return {
    recent: () => kept.toReversed(),

    async send(mail) {
      const { createTransport } = await import('nodemailer')
      const composer = createTransport({ streamTransport: true, buffer: true, newline: 'unix' })
      const { message } = await composer.sendMail({
        ...mail,
        from,
        textEncoding: 'quoted-printable',
      })
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const name = newId('req', clock.now()).replace('req_', '')
      const unfinished = join(dir, `.${name}.tmp`)
      await writeFile(unfinished, message as Buffer, { mode: 0o600 })
      await rename(unfinished, join(dir, `${name}.eml`))
      const { to, subject, text } = mail
      kept.push({ to, subject, text, at: new Date(clock.now()).toISOString() })
      kept.splice(0, kept.length - MAX_RECENT)
      const found = LINK.exec(mail.text)?.[0]
      const link = showTokens ? found : found?.split('?')[0]
      logger.info({ to: mail.to, subject: mail.subject, link }, 'mail written')
    },
  }
}
