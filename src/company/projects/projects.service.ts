import type { AuditService } from '../audit/audit.service.ts'
import { requireSettled } from '../../platform/db/access-failure.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { completeNational } from '../../kernel/national-number.ts'
import { OPERATOR, type Caller } from '../../kernel/principal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  findProject,
  insertProject,
  isServed,
  listProjects,
  type ProjectRow,
  type ProjectSettings,
  updateProject,
} from './projects.sql.ts'

const COUNTRY_TTL_MS = 5000
const MAX_COUNTRIES = 50_000

export { lockFreeProjects, lockProjects, type LockedDb } from './projects.sql.ts'
export type { ProjectRow, ProjectSettings } from './projects.sql.ts'
/** Manages Projects; see `createProjectsService`. */
export type ProjectsService = ReturnType<typeof createProjectsService>

/** Manages Projects and their settings (G39). */
export function createProjectsService(deps: { clock: Clock; audit: AuditService }) {
  const { clock, audit } = deps
  /** A change takes effect within `COUNTRY_TTL_MS`, and on this node usually immediately. */
  const countries = new Map<string, { country: string | null; until: number }>()

  async function countryOf(db: Db, projectId: string): Promise<string | null> {
    const known = countries.get(projectId)
    if (known && known.until > clock.monotonic()) return known.country
    const country = (await findProject(db, projectId))?.defaultCountry ?? null
    if (countries.size >= MAX_COUNTRIES) countries.clear()
    countries.set(projectId, { country, until: clock.monotonic() + COUNTRY_TTL_MS })
    return country
  }

  async function getOrThrow(db: Db, projectId: string): Promise<ProjectRow> {
    const project = await findProject(db, projectId)
    if (!project) throw fail('not_found', (say) => say.projects.notFound)
    return project
  }

  return {
    show: getOrThrow,

    /** Whether the data of a Project may be served to unauthenticated holders of a link to it. */
    isServed,

    /** Returns a function that adds the default country's calling code to numbers. */
    async numberCompleter(db: Db, projectId: string): Promise<(text: string) => string> {
      const country = await countryOf(db, projectId)
      return (text) => completeNational(text, country)
    },

    list: (db: Db) => listProjects(db),

    async create(tx: Db, accountId: string, name: string): Promise<string> {
      const id = newId('prj', clock.now())
      await insertProject(tx, { id, accountId, name, now: new Date(clock.now()) })
      return id
    },

    /** Changes settings and records the change in the audit log as `action`. */
    set: (
      db: Db,
      projectId: string,
      action: string,
      settings: ProjectSettings,
      by: Caller = OPERATOR,
    ) =>
      db.transaction(async (tx) => {
        const before = await getOrThrow(tx, projectId)
        await requireSettled(tx, projectId)
        await updateProject(tx, projectId, settings)
        tx.afterCommit(() => countries.delete(projectId))
        const after = await getOrThrow(tx, projectId)
        const only = (row: ProjectRow) =>
          Object.fromEntries(
            Object.keys(settings).map((key) => [key, row[key as keyof ProjectRow]]),
          )
        const change = { before: only(before), after: only(after) }
        await audit.record(tx, { ...by, action, object: projectId, ...change })
        return after
      }),
  }
}
