import { MASS_SENDING } from '../../kernel/addons.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { BillingService } from '../../company/billing/billing.service.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { saoPauloDay } from '../../kernel/day.ts'
import { OWNER } from '../../kernel/permissions.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { OPERATOR_PREFIX, type Caller, type UserPrincipal } from '../../kernel/principal.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import { listNodes } from '../../platform/nodes/nodes.service.ts'
import { readVitals } from '../vitals/vitals.worker.ts'
import { changeProject, type ProjectChange } from './change-project.ts'
import { drainNode } from './drain-node.ts'
import type {
  ChangeProjectBody,
  ListProjectsQuery,
  OperatedProject,
  Queues,
} from './operators.schemas.ts'
import { findOperator, listOperatedProjects, readQueues } from './operators.sql.ts'

export { changeProject, type ProjectChange } from './change-project.ts'
export { drainNode } from './drain-node.ts'
export { listOperators, setOperator } from './operators.sql.ts'

const SENT_DAYS = 30
const DAY_MS = 24 * 3600_000

/** Lets operators run the installation from the panel; see `createOperatorsService`. */
export type OperatorsService = ReturnType<typeof createOperatorsService>

/**
 * The audit actor of an operator's changes: companies see `operator`; operator commands also show which user it was.
 */
const asOperator = ({ userId, address }: UserPrincipal): Caller => ({
  actor: OPERATOR_PREFIX + userId,
  address,
})

function toChange(body: ChangeProjectBody): ProjectChange {
  const { status, usageMode, exempt, massSending } = body
  if (status !== undefined) return { status }
  if (usageMode !== undefined) return { usageMode }
  if (exempt !== undefined) return { exempt }
  return { addon: MASS_SENDING, granted: massSending === true }
}

/**
 * The operator's pages of the panel: Projects with their status, credits and figures, nodes and queues. They show
 * nothing of what companies send or receive. Every change is in the audit log of the company that it concerns.
 */
export function createOperatorsService(deps: {
  clock: Clock
  audit: AuditService
  billing: BillingService
  projects: ProjectsService
  publish: BusTopics['publish']
}) {
  const { clock, audit, billing, projects, publish } = deps

  async function find(
    db: Db,
    filter: Parameters<typeof listOperatedProjects>[1],
    page: { limit: number; offset: number },
  ): Promise<OperatedProject[]> {
    const sentSince = saoPauloDay(clock.now() - (SENT_DAYS - 1) * DAY_MS)
    const rows = await listOperatedProjects(db, filter, { ...page, sentSince, ownerRole: OWNER })
    return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }))
  }

  /** Returns a Project. Throws 404. */
  async function get(db: Db, id: string): Promise<OperatedProject> {
    const [project] = await find(db, { id, q: null, status: null }, { limit: 1, offset: 0 })
    if (!project) throw fail('not_found', (say) => say.projects.notFound)
    return project
  }

  /** Makes the open panels of a company reload their Project. */
  function announce(projectId: string): void {
    for (const mode of ['test', 'production'] as const)
      publish('changes', { projectId, mode, what: 'plan' })
  }

  return {
    /**
     * Throws 404 unless the user runs the installation, as if the route did not exist, and 403 without a second factor.
     */
    async requireOperator(db: Db, { userId }: UserPrincipal): Promise<void> {
      const found = await findOperator(db, userId)
      if (!found?.isOperator) throw fail('not_found', (say) => say.http.routeNotFound)
      if (!found.secondFactor) throw fail('forbidden', (say) => say.operators.factorNeeded)
    },

    /** Lists a page of all Projects, newest first. */
    async list(db: Db, query: ListProjectsQuery) {
      const { limit, offset, q = '', status = null } = query
      const filter = { id: null, q: q === '' ? null : q, status }
      const items = await find(db, filter, { limit: limit + 1, offset })
      return toPage(items, limit, offset)
    },

    get,

    /** Makes one change to a Project. Throws 404, and 409 if operators would suspend themselves. */
    async change(
      db: Db,
      by: UserPrincipal,
      id: string,
      body: ChangeProjectBody,
    ): Promise<OperatedProject> {
      if (body.status === 'SUSPENDED' && id === by.projectId)
        throw fail('conflict', (say) => say.operators.ownProject)
      await changeProject({ db, projects }, id, toChange(body), asOperator(by))
      announce(id)
      return get(db, id)
    },

    /** Grants credits to a Project. Throws 404. */
    async grant(db: Db, by: UserPrincipal, id: string, amount: number): Promise<OperatedProject> {
      await billing.grant(db, id, amount, asOperator(by))
      announce(id)
      return get(db, id)
    },

    /** Lists the nodes, oldest first. */
    async nodes(db: Db) {
      const rows = await listNodes(db)
      return {
        items: rows.map((row) => ({ ...row, startedAt: row.startedAt?.toISOString() ?? null })),
      }
    },

    /** Drains a node, or resumes. Throws 404, and 409 if no other node could take its instances over. */
    async drain(db: Db, by: UserPrincipal, node: string, draining: boolean): Promise<void> {
      await drainNode({ db, audit }, node, draining, asOperator(by))
    },

    /** Counts the queues of the whole installation. */
    async queues(db: Db): Promise<Queues> {
      const [row, { waiting, oldestAt }] = await Promise.all([
        readQueues(db, new Date(clock.now())),
        readVitals(db),
      ])
      return {
        ...row,
        messages: waiting,
        oldestMessageAt: oldestAt?.toISOString() ?? null,
        oldestDeliveryAt: row.oldestDeliveryAt?.toISOString() ?? null,
      }
    },
  }
}
