import { lockProjects } from '../../company/projects/projects.service.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { MembersService } from '../../company/members/members.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { ConversationsService } from '../conversations/conversations.service.ts'
import { insertMentions, listUnreadMentions, readMentions } from './mentions.sql.ts'
import type { Note, NoteBody, UnreadMentions } from './notes.schemas.ts'
import { countNotes, deleteNote, insertNote, listNotes, type NoteRow } from './notes.sql.ts'

const MAX_NOTES = 1000
/** Maximum unread mentions that the panel lists; older ones appear as these are read. */
const MAX_UNREAD_MENTIONS = 100

/** Manages the notes on conversations. */
export type NotesService = ReturnType<typeof createNotesService>

/** Creates the service for the team's notes on conversations (G79). */
export function createNotesService(deps: {
  clock: Clock
  audit: AuditService
  conversations: Pick<ConversationsService, 'get'>
  members: Pick<MembersService, 'listAttendantIds'>
}) {
  const { clock, audit, conversations, members } = deps
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

    /**
     * Writes a note, and notifies the members it mentions. Throws 400 if one of them may not answer conversations,
     * 404, and 409 if the conversation has too many notes.
     */
    create: (
      db: Db,
      scope: Scope,
      by: Caller,
      place: { instanceId: string; conversationId: string },
      { text, mentions = [] }: NoteBody,
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
        if (mentions.length > 0) {
          const attendants = await members.listAttendantIds(tx, scope)
          if (!mentions.every((userId) => attendants.has(userId)))
            throw fail('bad_request', (say) => say.notes.mentionInvalid, { field: 'mentions' })
        }
        const id = newId('not', clock.now())
        const note = { id, instanceId, conversationId, authorId: by.actor, text }
        await insertNote(tx, scope, note, now())
        const userIds = [...new Set(mentions)]
        if (userIds.length > 0) await insertMentions(tx, scope, { ...note, userIds }, now())
        // By its id: that of another node, whose clock is ahead, may be newer.
        const page = { limit: 1, offset: 0, now: now(), id }
        const [row] = await listNotes(tx, scope, conversationId, page)
        if (!row) throw new Error(`note ${id} was not stored`)
        return renderNote(row)
      }),

    /** Lists the newest notes that mention a member and that they have not read. */
    async listUnreadMentions(db: Db, scope: Scope, userId: string): Promise<UnreadMentions> {
      const page = { limit: MAX_UNREAD_MENTIONS, now: now() }
      const rows = await listUnreadMentions(db, scope, userId, page)
      return {
        items: rows.map(({ authorId, authorName, createdAt, ...mention }) => ({
          ...mention,
          author: { id: authorId, name: authorName },
          createdAt: createdAt.toISOString(),
        })),
      }
    },

    /** Marks the notes of a conversation as read by a member whom they mention. */
    readMentions: (db: Db, scope: Scope, userId: string, conversationId: string): Promise<void> =>
      readMentions(db, scope, userId, conversationId, now()),

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
        await audit.recordAction(tx, scope, by, 'note.delete', noteId)
      }),
  }
}

function renderNote(row: NoteRow): Note {
  const { id, conversationId, text, authorId, authorName, mentions, createdAt } = row
  return {
    id,
    conversationId,
    text,
    author: { id: authorId, name: authorName },
    mentions,
    createdAt: createdAt.toISOString(),
  }
}
