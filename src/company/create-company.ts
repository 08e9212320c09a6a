import type { Config } from '../kernel/config/config.ts'
import type { Platform } from '../platform/create-platform.ts'
import { createAccountsService } from './accounts/accounts.service.ts'
import { createEmailChangeService } from './accounts/change-email.service.ts'
import { createSecondFactorService } from './accounts/second-factor.service.ts'
import { createAuditService } from './audit/audit.service.ts'
import { createBillingService } from './billing/billing.service.ts'
import { createAuthenticator } from './keys/authenticator.ts'
import { createKeysService } from './keys/keys.service.ts'
import { createMembersService } from './members/members.service.ts'
import { createManualPayments } from './payments/manual.ts'
import { createPaymentsService } from './payments/payments.service.ts'
import type { StripeEndpoint } from './payments/stripe.ts'
import { createProjectsService } from './projects/projects.service.ts'
import { createRequestsService } from './requests/requests.service.ts'
import { createAdmission } from './sessions/admission.service.ts'
import { createSessionsService } from './sessions/sessions.service.ts'

/**
 * Creates the `company` module: accounts and members, sessions, Projects, API keys, the request
 * log, billing and payments.
 */
export async function createCompany(
  stack: AsyncDisposableStack,
  deps: {
    config: Config
    platform: Platform
    /** Replaces Stripe's API endpoint in tests. */
    stripe: StripeEndpoint | undefined
  },
) {
  const { config, platform, stripe } = deps
  const {
    db,
    clock,
    activity,
    seal,
    mailer,
    egress,
    metrics,
    node,
    runInBackground: inBackground,
    onError,
  } = platform
  const { panelUrl, mailFrom } = config
  const audit = createAuditService({ clock })
  const projects = createProjectsService({ clock, audit })
  const accounts = createAccountsService({
    clock,
    mailer,
    projects,
    audit,
    panelUrl,
    inBackground,
  })
  const secondFactor = createSecondFactorService({
    clock,
    seal,
    audit,
    mailer,
    panelUrl,
    inBackground,
  })
  const emailChange = createEmailChangeService({ clock, mailer, audit, panelUrl })
  const admission = createAdmission(clock)
  const sessions = createSessionsService({
    clock,
    accounts,
    secondFactor,
    emailChange,
    audit,
    admission,
    seal,
    publish: platform.bus.publish,
    inBackground,
  })
  const members = createMembersService({ clock, mailer, audit, sessions, admission, panelUrl })
  const billing = createBillingService({ clock, audit })

  /** Stripe's library uses megabytes of memory, so it is loaded only if a key is configured. */
  async function openPayments() {
    if (!config.stripe) return createManualPayments()
    const { createStripePayments } = await import('./payments/stripe.ts')
    const agent = egress.agent(stripe ? 'http:' : 'https:')
    return createStripePayments(config.stripe, {
      clock,
      agent,
      ...(stripe ? { place: stripe } : {}),
    })
  }
  const payments = createPaymentsService({
    clock,
    payments: await openPayments(),
    projects,
    billing,
    contact: /<([^>]+)>/.exec(mailFrom)?.[1] ?? mailFrom,
    panelUrl,
  })

  const authenticator = createAuthenticator({
    db,
    clock,
    activity,
    sessions,
    aliveNodes: node.aliveNodes,
    onError,
  })
  stack.defer(async () => {
    await authenticator.stop()
    await authenticator.flush()
  })
  const requests = createRequestsService({ db, clock, activity, metrics, onError })
  stack.defer(async () => {
    await requests.stop()
    await requests.flush()
  })
  return {
    audit,
    projects,
    accounts,
    secondFactor,
    emailChange,
    sessions,
    members,
    billing,
    payments,
    keys: createKeysService({ clock, billing, audit }),
    authenticator,
    requests,
  }
}

/** The module that `createCompany` returns. */
export type Company = Awaited<ReturnType<typeof createCompany>>
