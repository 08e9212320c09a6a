import type { Logger } from 'pino'
import type { Config } from '../../kernel/config/config.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Mailer } from './mail.port.ts'
import { createMailFiles } from './mail-files.ts'
import { createSmtpMailer } from './smtp.ts'

const LOCAL = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Creates the mailer: the configured SMTP server, or files under `DATA_DIR`. */
export function createMailer(config: Config, clock: Clock, logger: Logger): Mailer {
  const { smtpUrl, mailFrom: from, dataDir, panelUrl } = config
  if (smtpUrl) return createSmtpMailer(smtpUrl, from)
  const showTokens = isLocal(panelUrl)
  return createMailFiles({ dir: `${dataDir}/mail`, from, clock, logger, showTokens })
}

/** Whether an address is one of this machine only. */
export function isLocal(url: string): boolean {
  return LOCAL.has(new URL(url).hostname)
}
