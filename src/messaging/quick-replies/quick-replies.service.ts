import type { AuditService } from '../../company/audit/audit.service.ts'
import { lockProjects } from '../../company/projects/projects.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { Caller } from '../../kernel/principal.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type {
  ListQuickRepliesQuery,
  PatchQuickReplyBody,
  QuickReply,
  QuickReplyBody,
} from './quick-replies.schemas.ts'
import {
  countQuickReplies,
  deleteQuickReply,
  findQuickReply,
  insertQuickReply,
  isShortcutTaken,
  listQuickReplies,
  updateQuickReply,
  type QuickReplyRow,
} from './quick-replies.sql.ts'

const MAX_QUICK_REPLIES = 500
/** The characters allowed in a shortcut. */
const SHORTCUT = /^[\p{L}\p{N}_-]+$/u

/** Manages the quick replies of Projects. */
export type QuickRepliesService = ReturnType<typeof createQuickRepliesService>

/** Creates the service for the ready-made replies of a Project and mode (G79). */
export function createQuickRepliesService(deps: { clock: Clock; audit: AuditService }) {
  const { clock, audit } = deps
  const now = () => new Date(clock.now())

  function readShortcut(text: string): string {
    const shortcut = text.normalize('NFC').toLowerCase()
    if (!SHORTCUT.test(shortcut))
      throw fail('bad_request', (say) => say.quickReplies.shortcut, { field: 'shortcut' })
    return shortcut
  }

  async function getRow(db: Db, scope: Scope, id: string): Promise<QuickReplyRow> {
    const row = await findQuickReply(db, scope, id, now())
    if (!row) throw fail('not_found', (say) => say.quickReplies.notFound)
    return row
  }

  return {
    /** Lists quick replies by shortcut. */
    async list(db: Db, scope: Scope, { limit, offset, q }: ListQuickRepliesQuery) {
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listQuickReplies(db, scope, q || null, page)
      return toPage(rows.map(renderQuickReply), limit, offset)
    },

    /** Creates a quick reply. Throws 400 for a bad shortcut, and 409 if it is taken or there are too many. */
    create: (db: Db, scope: Scope, by: Caller, body: QuickReplyBody): Promise<QuickReply> =>
      db.transaction(async (tx) => {
        const shortcut = readShortcut(body.shortcut)
        await lockProjects(tx, [scope.projectId])
        if ((await countQuickReplies(tx, scope, now())) >= MAX_QUICK_REPLIES)
          throw fail('conflict', (say) => say.quickReplies.tooMany)
        const reply = { id: newId('qrp', clock.now()), shortcut, text: body.text }
        const row = await insertQuickReply(tx, scope, reply, now())
        if (!row)
          throw fail('conflict', (say) => say.quickReplies.taken(shortcut), { field: 'shortcut' })
        const after = { shortcut, text: body.text }
        await audit.recordAction(tx, scope, by, 'quick_reply.create', row.id, {
          before: null,
          after,
        })
        return renderQuickReply(row)
      }),

    /** Changes a quick reply. Throws 400, 404, and 409 if the new shortcut is taken. */
    update: (
      db: Db,
      scope: Scope,
      by: Caller,
      id: string,
      body: PatchQuickReplyBody,
    ): Promise<QuickReply> =>
      db.transaction(async (tx) => {
        if (body.shortcut === undefined && body.text === undefined)
          throw fail('bad_request', (say) => say.quickReplies.nothingToChange)
        await lockProjects(tx, [scope.projectId])
        const { shortcut, text } = await getRow(tx, scope, id)
        const reply = {
          id,
          shortcut: body.shortcut === undefined ? shortcut : readShortcut(body.shortcut),
          text: body.text ?? text,
        }
        if (await isShortcutTaken(tx, scope, reply, now()))
          throw fail('conflict', (say) => say.quickReplies.taken(reply.shortcut), {
            field: 'shortcut',
          })
        const row = await updateQuickReply(tx, scope, reply, now())
        if (!row) throw fail('not_found', (say) => say.quickReplies.notFound)
        const change = {
          before: { shortcut, text },
          after: { shortcut: row.shortcut, text: row.text },
        }
        await audit.recordAction(tx, scope, by, 'quick_reply.update', id, change)
        return renderQuickReply(row)
      }),

    /** Deletes a quick reply. Throws 404. */
    remove: (db: Db, scope: Scope, by: Caller, id: string): Promise<void> =>
      db.transaction(async (tx) => {
        const { shortcut, text } = await getRow(tx, scope, id)
        await deleteQuickReply(tx, scope, id, now())
        const before = { shortcut, text }
        await audit.recordAction(tx, scope, by, 'quick_reply.delete', id, { before, after: null })
      }),
  }
}

function renderQuickReply({ id, shortcut, text, createdAt, updatedAt }: QuickReplyRow): QuickReply {
  return {
    id,
    shortcut,
    text,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
