import type { Addon } from '../../kernel/addons.ts'
import type {
  ProjectRow,
  ProjectSettings,
  ProjectsService,
} from '../../company/projects/projects.service.ts'
import { OPERATOR, type Caller } from '../../kernel/principal.ts'
import type { Db } from '../../platform/db/sql.ts'

/** One change of a Project that only an operator may make. */
export type ProjectChange =
  | { status: ProjectRow['status'] }
  | { usageMode: ProjectRow['usageMode'] }
  | { exempt: boolean }
  | { subscription: ProjectRow['subscription'] }
  | { defaultCountry: string | null }
  | { addon: Addon; granted: boolean }

/** The name of a change in the audit log. */
function actionOf(change: ProjectChange): string {
  if ('status' in change)
    return change.status === 'SUSPENDED' ? 'project.suspend' : 'project.activate'
  if ('usageMode' in change) return 'project.usage_mode'
  if ('exempt' in change) return 'project.exempt'
  if ('subscription' in change) return 'subscription.set'
  if ('defaultCountry' in change) return 'project.default_country'
  return change.granted ? 'addon.grant' : 'addon.revoke'
}

/**
 * Makes one change to a Project on behalf of an operator, and records it in the audit log. Repeating it has no effect
 * on the Project. Throws 404 if the Project is unknown.
 */
export const changeProject = (
  { db, projects }: { db: Db; projects: ProjectsService },
  projectId: string,
  change: ProjectChange,
  by: Caller = OPERATOR,
): Promise<ProjectRow> =>
  db.transaction(async (tx) => {
    let settings: ProjectSettings
    if ('addon' in change) {
      const { addons } = await projects.show(tx, projectId)
      const others = addons.filter((entry) => entry !== change.addon)
      settings = { addons: change.granted ? [...others, change.addon] : others }
    } else settings = change
    return projects.set(tx, projectId, actionOf(change), settings, by)
  })
