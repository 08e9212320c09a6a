import { ADDONS } from '../../kernel/addons.ts'
import type { AccountsService } from '../../company/accounts/accounts.service.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Config } from '../../kernel/config/config.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Db } from '../../platform/db/sql.ts'
import { isCountry } from '../../kernel/national-number.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Phrases } from '../../kernel/phrases/spoken.ts'
import { listNodes } from '../../platform/nodes/nodes.service.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import { writeDirectory } from '../move/directory.service.ts'
import { moveBetween } from '../move/move-between.service.ts'
import {
  changeProject,
  drainNode,
  listOperators,
  setOperator,
  type ProjectChange,
} from '../operators/operators.service.ts'
import { SUBSCRIPTIONS, USAGE_MODES } from '../../model/vocabulary.ts'

type OpsServices = {
  db: Db
  accounts: AccountsService
  projects: ProjectsService
  billing: BillingService
  audit: AuditService
  clock: Clock
  config: Config
  database: Database
  resetSecondFactor: (email: string) => Promise<object>
}
/** Options of a command. */
export type Options = Record<string, string | boolean | undefined>
type Command = {
  options: string[]
  help: keyof Phrases['ops']['help']
  run(services: OpsServices, options: Options): Promise<object>
}

/** Returns the value of a required option. Throws StartFault if it is missing. */
export function text(options: Options, name: string): string {
  const value = options[name]
  if (typeof value !== 'string' || value === '') throw new StartFault(say.ops.missingOption(name))
  return value
}

function choice<const Values extends readonly string[]>(
  options: Options,
  name: string,
  values: Values,
): Values[number] {
  const value = text(options, name)
  const found = values.find((entry) => entry === value)
  if (found === undefined) throw new StartFault(say.ops.badOption(name, values.join('|')))
  return found
}

const MAX_LISTED = 1000

const change = (services: OpsServices, options: Options, made: ProjectChange) =>
  changeProject(services, text(options, 'project'), made)

/** Lets a user operate the installation in the panel, or revokes it. */
const setOperatorByEmail = ({ db, audit }: OpsServices, options: Options, granted: boolean) =>
  db.transaction(async (tx) => {
    const email = text(options, 'email').toLowerCase()
    const user = await setOperator(tx, email, granted)
    if (!user) throw new StartFault(say.ops.noSuchUser(email))
    const action = granted ? 'operator.grant' : 'operator.revoke'
    await audit.record(tx, {
      actor: 'operator',
      action,
      object: user.id,
      before: null,
      after: { operator: granted },
    })
    return { ...user, operator: granted }
  })

/** The operator's commands that work on the database (G65). */
export const commands: Record<string, Command> = {
  'account create': {
    options: ['company', 'tax-id', 'email', 'password', 'confirmed'],
    help: 'accountCreate',
    run: ({ db, accounts }, options) =>
      accounts.create(
        db,
        {
          company: text(options, 'company'),
          taxId: text(options, 'tax-id'),
          email: text(options, 'email'),
          password: text(options, 'password'),
        },
        options['confirmed'] === true,
      ),
  },
  'account show': {
    options: ['email'],
    help: 'accountShow',
    run: ({ db, accounts }, options) => accounts.getByEmail(db, text(options, 'email')),
  },
  'account reset-second-factor': {
    options: ['email'],
    help: 'accountResetSecondFactor',
    run: ({ resetSecondFactor }, options) => resetSecondFactor(text(options, 'email')),
  },
  'project list': {
    options: [],
    help: 'projectList',
    run: async ({ db, projects }) => ({ items: await projects.list(db) }),
  },
  'project show': {
    options: ['project'],
    help: 'projectShow',
    run: ({ db, projects }, options) => projects.show(db, text(options, 'project')),
  },
  'project suspend': {
    options: ['project'],
    help: 'projectSuspend',
    run: (services, options) => change(services, options, { status: 'SUSPENDED' }),
  },
  'project activate': {
    options: ['project'],
    help: 'projectActivate',
    run: (services, options) => change(services, options, { status: 'ACTIVE' }),
  },
  'project move': {
    options: ['project', 'to'],
    help: 'projectMove',
    run: ({ config, database, audit, clock }, options) =>
      moveBetween(
        { config, database, audit, clock },
        text(options, 'project'),
        text(options, 'to'),
      ),
  },
  'project usage-mode': {
    options: ['project', 'mode'],
    help: 'projectUsageMode',
    run: (services, options) =>
      change(services, options, { usageMode: choice(options, 'mode', USAGE_MODES) }),
  },
  'project exempt': {
    options: ['project', 'off'],
    help: 'projectExempt',
    run: (services, options) => change(services, options, { exempt: options['off'] !== true }),
  },
  'project default-country': {
    options: ['project', 'country'],
    help: 'projectDefaultCountry',
    run: (services, options) => {
      const country = text(options, 'country')
      if (country !== 'none' && !isCountry(country)) {
        throw new StartFault(say.ops.badOption('country', 'BR|PT|US|…|none'))
      }
      return change(services, options, { defaultCountry: country === 'none' ? null : country })
    },
  },
  'subscription set': {
    options: ['project', 'status'],
    help: 'subscriptionSet',
    run: (services, options) =>
      change(services, options, { subscription: choice(options, 'status', SUBSCRIPTIONS) }),
  },
  'credits grant': {
    options: ['project', 'amount'],
    help: 'creditsGrant',
    run: async ({ db, billing }, options) => {
      const projectId = text(options, 'project')
      const amount = Number(text(options, 'amount'))
      if (!Number.isSafeInteger(amount) || amount < 1) {
        throw new StartFault(say.ops.badOption('amount', say.ops.amount))
      }
      return { projectId, credits: await billing.grant(db, projectId, amount) }
    },
  },
  'credits show': {
    options: ['project'],
    help: 'creditsShow',
    run: async ({ db, projects, billing }, options) => {
      const { id: projectId } = await projects.show(db, text(options, 'project'))
      return { projectId, credits: await billing.credits(db, projectId) }
    },
  },
  'addon grant': {
    options: ['project', 'addon'],
    help: 'addonGrant',
    run: (services, options) =>
      change(services, options, { addon: choice(options, 'addon', ADDONS), granted: true }),
  },
  'addon revoke': {
    options: ['project', 'addon'],
    help: 'addonRevoke',
    run: (services, options) =>
      change(services, options, { addon: choice(options, 'addon', ADDONS), granted: false }),
  },
  directory: {
    options: ['to'],
    help: 'directory',
    run: ({ db }, options) => writeDirectory(db, text(options, 'to')),
  },
  nodes: {
    options: [],
    help: 'nodes',
    run: async ({ db }) => ({ items: await listNodes(db) }),
  },
  'node drain': {
    options: ['node', 'off'],
    help: 'nodeDrain',
    run: (services, options) => drainNode(services, text(options, 'node'), options['off'] !== true),
  },
  'operator grant': {
    options: ['email'],
    help: 'operatorGrant',
    run: (services, options) => setOperatorByEmail(services, options, true),
  },
  'operator revoke': {
    options: ['email'],
    help: 'operatorRevoke',
    run: (services, options) => setOperatorByEmail(services, options, false),
  },
  'operator list': {
    options: [],
    help: 'operatorList',
    run: async ({ db }) => ({ items: await listOperators(db) }),
  },
  'audit list': {
    options: ['object', 'limit'],
    help: 'auditList',
    run: async ({ db, audit }, options) => {
      const object = options['object'] === undefined ? null : text(options, 'object')
      const limit = options['limit'] === undefined ? 50 : Number(text(options, 'limit'))
      if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LISTED) {
        throw new StartFault(say.ops.badOption('limit', `1–${MAX_LISTED}`))
      }
      return { items: await audit.list(db, object, limit) }
    },
  },
}
