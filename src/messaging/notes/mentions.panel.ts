import { NoContent } from '../../kernel/schemas.ts'
import type { Db } from '../../platform/db/sql.ts'
import { scopeOf, userOf, type Guard } from '../../platform/http/principal.ts'
import type { Server } from '../../platform/http/server.ts'
import { ReadMentionsBody, UnreadMentions } from './notes.schemas.ts'
import type { NotesService } from './notes.service.ts'

/** Adds the panel's private routes for the notes that mention the signed-in member, under `/panel/api/:mode`. */
export function addMentionPanelRoutes(
  server: Server,
  deps: { db: Db; notes: NotesService; guard: Guard },
): void {
  const { db, notes, guard: onRequest } = deps

  /** Lists the newest 100 mentions that the member has not read. */
  server.get('/mentions', { onRequest, schema: { response: { 200: UnreadMentions } } }, (request) =>
    notes.listUnreadMentions(db, scopeOf(request), userOf(request).userId),
  )

  /** Marks the mentions in a conversation as read; returns 204, even if there are none. */
  server.post(
    '/mentions/read',
    { onRequest, schema: { body: ReadMentionsBody, response: { 204: NoContent } } },
    async (request, reply) => {
      const { conversationId } = request.body
      await notes.readMentions(db, scopeOf(request), userOf(request).userId, conversationId)
      return reply.code(204).send(null)
    },
  )
}
