import type { Db } from '../../platform/db/sql.ts'
import { NoContent } from '../../kernel/schemas.ts'
import { callerOf, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { isCountry } from '../../kernel/national-number.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { ProjectBody } from './projects.schemas.ts'
import type { ProjectsService } from './projects.service.ts'

/** Adds the panel's private route with which a company changes its own Project's settings. */
export function addProjectPanelRoute(
  server: Server,
  deps: { db: Db; projects: ProjectsService; guard: Guard },
): void {
  const { db, projects, guard } = deps

  /** Returns 204. Throws 400 for an unknown country; omitting the country clears the setting. */
  server.put(
    '/panel/api/project',
    {
      config: { changes: 'project' },
      onRequest: guard,
      schema: { hide: true, body: ProjectBody, response: { 204: NoContent } },
    },
    async (request, reply) => {
      const { defaultCountry = null } = request.body
      if (defaultCountry !== null && !isCountry(defaultCountry)) {
        const field = 'defaultCountry'
        throw fail('bad_request', (say) => say.http.malformed(field), { field })
      }
      const { projectId } = userOf(request)
      const change = { defaultCountry }
      await projects.set(db, projectId, 'project.default_country', change, callerOf(request))
      return reply.code(204).send(null)
    },
  )
}
