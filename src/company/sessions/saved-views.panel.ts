import { fail } from '../../kernel/phrases/fail.ts'
import { NoContent } from '../../kernel/schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { SavedView, SavedViewKey, SavedViews } from './saved-views.schemas.ts'
import { deleteView, listViews, upsertView } from './saved-views.sql.ts'

const MAX_VIEWS = 100

/** Adds the panel's routes for the views that the signed-in user has saved, which no other user sees. */
export function addSavedViewPanelRoutes(server: Server, deps: { db: Db; guard: Guard }): void {
  const { db, guard: onRequest } = deps

  /** Lists the user's saved views of all pages. */
  server.get(
    '/panel/api/me/views',
    { onRequest, schema: { hide: true, response: { 200: SavedViews } } },
    async (request) => ({ items: await listViews(db, userOf(request).userId) }),
  )

  /** Saves a view, replacing one of the same page and name; returns 204, or 409 beyond 100. */
  server.put(
    '/panel/api/me/views',
    { onRequest, schema: { hide: true, body: SavedView, response: { 204: NoContent } } },
    async (request, reply) => {
      const { userId } = userOf(request)
      const isStored = await db.transaction((tx) => upsertView(tx, userId, request.body, MAX_VIEWS))
      if (!isStored) throw fail('conflict', (say) => say.savedViews.tooMany(MAX_VIEWS))
      return reply.code(204).send(null)
    },
  )

  /** Deletes a view; returns 204, or 404 if there is none of this page and name. */
  server.delete(
    '/panel/api/me/views',
    { onRequest, schema: { hide: true, querystring: SavedViewKey, response: { 204: NoContent } } },
    async (request, reply) => {
      const { userId } = userOf(request)
      if (!(await deleteView(db, userId, request.query)))
        throw fail('not_found', (say) => say.savedViews.notFound)
      return reply.code(204).send(null)
    },
  )
}
