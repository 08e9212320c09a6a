import { createAccountsService } from '../company/accounts/accounts.service.ts'
import { createEmailChangeService } from '../company/accounts/change-email.service.ts'
import { createSecondFactorService } from '../company/accounts/second-factor.service.ts'
import type { AuditService } from '../company/audit/audit.service.ts'
import { createBillingService } from '../company/billing/billing.service.ts'
import type { Config } from '../kernel/config/config.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Egress } from '../platform/egress/safe-fetch.ts'
import type { Seal } from '../kernel/seal.ts'
import type { Mailer } from '../platform/mail/mail.port.ts'
import { createMembersService } from '../company/members/members.service.ts'
import { createManualPayments } from '../company/payments/manual.ts'
import { createPaymentsService } from '../company/payments/payments.service.ts'
import type { StripePlace } from '../company/payments/stripe.ts'
import { createProjectsService } from '../company/projects/projects.service.ts'
import { createAdmission } from '../company/sessions/admission.service.ts'
import { createSessionsService } from '../company/sessions/sessions.service.ts'

/** Constructs the rooms of a company: its account and people, its Project, and what it pays. */
export async function createCompany(deps: {
  config: Config
  clock: Clock
  seal: Seal
  audit: AuditService
  mailer: Mailer
  egress: Egress
  /** Stands in for Stripe. */
  stripe: StripePlace | undefined
  inBackground: (work: () => Promise<void>) => void
}) {
  const { config, clock, seal, audit, mailer, egress, stripe, inBackground } = deps
  const { panelUrl, mailFrom } = config
  const projects = createProjectsService({ clock, audit })
  const accounts = createAccountsService({
    ...{ clock, mailer, projects, audit, panelUrl, inBackground },
  })
  const secondFactor = createSecondFactorService({ clock, seal, audit, mailer, inBackground })
  const emailChange = createEmailChangeService({ clock, mailer, audit, panelUrl })
  const admission = createAdmission(clock)
  const sessions = createSessionsService({
    ...{ clock, accounts, secondFactor, emailChange, audit, admission, seal },
  })
  const members = createMembersService({ clock, mailer, audit, sessions, admission, panelUrl })
  const billing = createBillingService({ clock, audit })
  const contact = /<([^>]+)>/.exec(mailFrom)?.[1] ?? mailFrom
  const payments = createPaymentsService({
    ...{ clock, payments: await openPayments(), projects, billing, contact, panelUrl },
  })

  /** Stripe's library weighs megabytes: it is loaded where there is a key for it. */
  async function openPayments() {
    if (!config.stripe) return createManualPayments()
    const { createStripePayments } = await import('../company/payments/stripe.ts')
    const agent = egress.agent(stripe ? 'http:' : 'https:')
    return createStripePayments(config.stripe, {
      clock,
      agent,
      ...(stripe ? { place: stripe } : {}),
    })
  }

  return { projects, accounts, secondFactor, emailChange, sessions, members, billing, payments }
}
