import { Type } from 'typebox'
import { NoContent } from '../../kernel/schemas.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Idempotent } from '../../platform/http/idempotent.ts'
import { callerOf, scopeOf, type Guard } from '../../platform/http/principal.ts'
import { responses } from '../../platform/http/responses.ts'
import type { Server } from '../../platform/http/server.ts'
import { ListNotesQuery, Note, NoteBody, NoteList } from './notes.schemas.ts'
import type { NotesService } from './notes.service.ts'

const tags = ['Conversas']
const security = [{ apiKey: [] }]
const params = Type.Object({ id: Type.String(), conversationId: Type.String() })
const one = Type.Object({ id: Type.String(), conversationId: Type.String(), noteId: Type.String() })
const PATH = '/v1/instances/:id/conversations/:conversationId/notes'

/** Registers the routes that list, write and delete the team's notes on a conversation (G79). */
export function addNoteRoutes(
  server: Server,
  deps: { db: Db; notes: NotesService; guard: Guard; idempotent: Idempotent },
): void {
  const { db, notes, guard: onRequest, idempotent } = deps

  server.get(
    PATH,
    {
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'listNotes',
        summary: 'Listar as notas internas de uma conversa, da mais nova para a mais antiga',
        params,
        querystring: ListNotesQuery,
        response: responses({ 200: NoteList }, [400, 401, 402, 403, 404], {
          404: say.conversations.notFound,
        }),
      },
    },
    (request) => {
      const { id, conversationId } = request.params
      return notes.list(db, scopeOf(request), id, conversationId, request.query)
    },
  )

  server.post(
    PATH,
    {
      config: { idempotent: true, changes: 'notes' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'createNote',
        summary: 'Escrever uma nota interna numa conversa',
        params,
        body: NoteBody,
        response: responses({ 201: Note }, [400, 401, 402, 403, 404, 409, 413, 415], {
          400: say.notes.mentionInvalid,
          404: say.conversations.notFound,
          409: say.notes.tooMany,
        }),
      },
    },
    (request, reply) =>
      idempotent(request, reply, async (tx) => {
        const { id: instanceId, conversationId } = request.params
        const place = { instanceId, conversationId }
        return {
          status: 201,
          body: await notes.create(tx, scopeOf(request), callerOf(request), place, request.body),
        }
      }),
  )

  server.delete(
    `${PATH}/:noteId`,
    {
      config: { changes: 'notes' },
      onRequest,
      schema: {
        tags,
        security,
        operationId: 'deleteNote',
        summary: 'Apagar uma nota interna',
        params: one,
        response: responses({ 204: NoContent }, [401, 402, 403, 404], { 404: say.notes.notFound }),
      },
    },
    async (request, reply) => {
      const { id: instanceId, conversationId, noteId } = request.params
      const place = { instanceId, conversationId, noteId }
      await notes.remove(db, scopeOf(request), callerOf(request), place)
      return reply.code(204).send(null)
    },
  )
}
