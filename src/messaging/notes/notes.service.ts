import { lockProjects } from '../../company/projects/projects.service.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import type { Note, NoteBody } from './notes.schemas.ts'
import { countNotes, deleteNote, insertNote, listNotes, type NoteRow } from './notes.sql.ts'

const MAX_NOTES = 1000

/** Manages the notes on conversations. */
export type NotesService = ReturnType<typeof createNotesService>

/** Creates the service for the team's notes on conversations (G79). */
export function createNotesService(deps: {
  clock: Clock
  audit: AuditService
  conversations: Pick<ConversationsService, 'get'>
}) {
  const { clock, audit, conversations } = deps
  const now = () => new Date(clock.now())

  return {
    /** Lists the notes of a conversation, newest first. Throws 404. */
    async list(
      db: Db,
      scope: Scope,
      instanceId: string,
      conversationId: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      const { id } = await conversations.get(db, scope, instanceId, conversationId)
      const rows = await listNotes(db, scope, id, { limit: limit + 1, offset, now: now() })
      return toPage(rows.map(renderNote), limit, offset)
    },

    /** Writes a note. Throws 404, and 409 if the conversation has too many. */
    create: (
      db: Db,
      scope: Scope,
      by: Caller,
      place: { instanceId: string; conversationId: string },
      { text }: NoteBody,
    ): Promise<Note> =>
      db.transaction(async (tx) => {
        await lockProjects(tx, [scope.projectId])
        const { instanceId } = place
        const { id: conversationId } = await conversations.get(
          tx,
          scope,
          instanceId,
          place.conversationId,
        )
        if ((await countNotes(tx, scope, conversationId, now())) >= MAX_NOTES)
          throw fail('conflict', (say) => say.notes.tooMany)
        const id = newId('not', clock.now())
        const note = { id, instanceId, conversationId, authorId: by.actor, text }
        await insertNote(tx, scope, note, now())
        const [row] = await listNotes(tx, scope, conversationId, {
          limit: 1,
          offset: 0,
          now: now(),
        })
        if (row?.id !== id) throw new Error(`note ${id} was not stored`)
        return renderNote(row)
      }),

    /** Deletes a note. Throws 404. */
    remove: (
      db: Db,
      scope: Scope,
      by: Caller,
      place: { instanceId: string; conversationId: string; noteId: string },
    ): Promise<void> =>
      db.transaction(async (tx) => {
        const { instanceId, conversationId, noteId } = place
        const { id } = await conversations.get(tx, scope, instanceId, conversationId)
        if (!(await deleteNote(tx, scope, id, noteId, now())))
          throw fail('not_found', (say) => say.notes.notFound)
        await audit.act(tx, scope, by, 'note.delete', noteId)
      }),
  }
}

function renderNote({ id, conversationId, text, authorId, authorName, createdAt }: NoteRow): Note {
  return {
    id,
    conversationId,
    text,
    author: { id: authorId, name: authorName },
    createdAt: createdAt.toISOString(),
  }
}
