import { pino } from 'pino'
import { createAccountsService } from '../company/accounts/accounts.service.ts'
import { resetSecondFactor } from '../company/accounts/second-factor.service.ts'
import { createAuditService } from '../company/audit/audit.service.ts'
import { createBillingService } from '../company/billing/billing.service.ts'
import type { Config } from '../kernel/config/config.ts'
import type { Db } from '../platform/db/sql.ts'
import { createSystemClock } from '../kernel/clock.ts'
import { createMailer } from '../platform/mail/create-mailer.ts'
import { createProjectsService } from '../company/projects/projects.service.ts'

/** Creates the services that operator commands use; a server may be using the same database. */
export function createOperator(config: Config, db: Db) {
  const clock = createSystemClock()
  const logger = pino({ level: 'silent' })
  const audit = createAuditService({ clock })
  const projects = createProjectsService({ clock, audit })
  const mailer = createMailer(config, clock, logger)
  const { panelUrl } = config
  const accounts = createAccountsService({
    clock,
    mailer,
    projects,
    audit,
    panelUrl,
    inBackground: (work) => void work(),
  })
  const billing = createBillingService({ clock, audit })
  return {
    db,
    clock,
    accounts,
    projects,
    billing,
    audit,
    resetSecondFactor: (email: string) => resetSecondFactor({ db, audit, mailer, panelUrl }, email),
  }
}
