import type { Config } from '../../kernel/config/config.ts'
import { startBudget } from '../../kernel/budget.ts'
import type { Clock } from '../../kernel/clock.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Egress } from '../../platform/egress/safe-fetch.ts'
import { isLocal } from '../../platform/mail/create-mailer.ts'
import { verifySmtp } from '../../platform/mail/smtp-transport.ts'
import { check, CHECK_MS, describeFailure, type Check } from './check.ts'

const WHATSAPP = 'https://web.whatsapp.com'
const TENANT = 'doctor'
/** As long as a delivery may take. */
const DELIVERY_MS = 15_000

/** Checks the mail server, connectivity to WhatsApp, and a webhook endpoint if one is given. */
export async function checkOutgoing(
  config: Config,
  deps: { egress: Pick<Egress, 'exchange'>; clock: Clock },
  webhook: string | null,
): Promise<Check[]> {
  const checks = [checkMail(config)]
  const { production, test } = config.networks
  if (production === 'whatsapp' || test === 'whatsapp') {
    const address = config.whatsapp.url?.href.replace(/^ws/, 'http') ?? WHATSAPP
    checks.push(checkEgress(address, deps))
  }
  if (webhook !== null) checks.push(checkWebhook(webhook, deps))
  return Promise.all(checks)
}

async function checkMail({ smtpUrl, panelUrl }: Config): Promise<Check> {
  const words = say.ops.remedies
  if (!smtpUrl) return check('SMTP_URL', isLocal(panelUrl), 'DATA_DIR/mail', words.noMail)
  const { host } = new URL(smtpUrl)
  try {
    await verifySmtp(smtpUrl, CHECK_MS)
    return check('SMTP_URL', true, host, '')
  } catch (error) {
    return check('SMTP_URL', false, `${host}: ${describeFailure(error)}`, words.mail)
  }
}

type Deps = { egress: Pick<Egress, 'exchange'>; clock: Clock }

async function exchange(
  url: URL,
  method: 'GET' | 'POST',
  body: Buffer | null,
  deps: Deps,
  withinMs = CHECK_MS,
) {
  const budget = startBudget(deps.clock, withinMs)
  const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {}
  try {
    return await deps.egress.exchange({ url, method, headers, body, budget, tenant: TENANT })
  } finally {
    budget.end()
  }
}

async function checkEgress(address: string, deps: Deps): Promise<Check> {
  const url = new URL(address)
  try {
    await exchange(url, 'GET', null, deps)
    return check('egress', true, url.host, '')
  } catch (error) {
    const detail = `${url.host}: ${describeFailure(error)}`
    return check('egress', false, detail, say.ops.remedies.egress)
  }
}

/** Any 2xx will do, as for a delivery. */
async function checkWebhook(address: string, deps: Deps): Promise<Check> {
  const words = say.ops.remedies
  try {
    const body = Buffer.from(JSON.stringify({ event: 'doctor.test' }))
    const { status } = await exchange(new URL(address), 'POST', body, deps, DELIVERY_MS)
    return check('webhook', status >= 200 && status < 300, `${address}: ${status}`, words.webhook)
  } catch (error) {
    return check('webhook', false, `${address}: ${describeFailure(error)}`, words.webhook)
  }
}
