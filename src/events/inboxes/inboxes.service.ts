import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { pageOf } from '../../kernel/shapes.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { AnswerBody, Inbox } from './inboxes.schemas.ts'
import {
  deleteInbox,
  findInbox,
  findInboxOwner,
  inboxBelongs,
  insertInbox,
  keepRequest,
  listInboxes,
  listRequests,
  setAnswer,
  sweepRequests,
  type InboxRow,
} from './inboxes.sql.ts'

const MOST_INBOXES = 100
export const KEPT_REQUESTS = 50
const KEPT_MS = 3600_000
/** Bodies and headers that one inbox holds at most. */
const KEPT_BYTES = 1024 * 1024
/** A request whose body is larger is refused: anybody may call an inbox. */
export const MAX_INBOX_BODY = 64 * 1024

export type InboxesService = ReturnType<typeof createInboxesService>

/** Test receivers: the only targets of webhooks inside the product. Source: contract §3. */
export function createInboxesService(deps: {
  clock: Clock
  sandboxUrl: string
  simulates: (mode: Mode) => boolean
}) {
  const { clock, sandboxUrl, simulates } = deps
  const now = () => new Date(clock.now())
  const origin = new URL(sandboxUrl).origin

  function render(row: InboxRow): Inbox {
    const { id, name, answerStatus: status, answerTimes, answerLate, createdAt } = row
    const answer = {
      status,
      ...(answerTimes === null ? {} : { times: answerTimes }),
      ...(answerLate ? { timeout: true as const } : {}),
    }
    const url = `${sandboxUrl}/caixa/${id}`
    return { id, name, url, answer, createdAt: createdAt.toISOString() }
  }

  function admit(scope: Scope): void {
    if (!simulates(scope.mode)) throw fail('not_found', (say) => say.phones.networkMissing)
  }

  async function require(db: Db, scope: Scope, id: string): Promise<InboxRow> {
    admit(scope)
    const row = await findInbox(db, scope, id, now())
    if (!row) throw fail('not_found', (say) => say.inboxes.notFound)
    return row
  }

  return {
    async create(db: Db, scope: Scope, name: string): Promise<Inbox> {
      admit(scope)
      const id = newId('box', clock.now())
      const made = await insertInbox(db, scope, { id, name, now: now(), most: MOST_INBOXES })
      if (!made) throw fail('bad_request', (say) => say.inboxes.limit)
      const answer = { answerStatus: 200, answerTimes: null, answerLate: false }
      return render({ id, name, ...answer, createdAt: now() })
    },

    async list(db: Db, scope: Scope, { limit, offset }: { limit: number; offset: number }) {
      admit(scope)
      const rows = await listInboxes(db, scope, { limit: limit + 1, offset, now: now() })
      return pageOf(rows.map(render), limit, offset)
    },

    show: async (db: Db, scope: Scope, id: string): Promise<Inbox> =>
      render(await require(db, scope, id)),

    async remove(db: Db, scope: Scope, id: string): Promise<void> {
      admit(scope)
      const removed = await deleteInbox(db, scope, id, now())
      if (!removed) throw fail('not_found', (say) => say.inboxes.notFound)
    },

    /** What the inbox answers from now on, or to the next `times` requests. */
    async answer(db: Db, scope: Scope, id: string, body: AnswerBody): Promise<Inbox> {
      admit(scope)
      const { status, times = null, timeout: late = false } = body
      const row = await setAnswer(db, scope, id, { status, times, late }, now())
      if (!row) throw fail('not_found', (say) => say.inboxes.notFound)
      return render(row)
    },

    /** The last 50 requests of the last hour, newest first. */
    async requests(
      db: Db,
      scope: Scope,
      id: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      await require(db, scope, id)
      const since = new Date(clock.now() - KEPT_MS)
      const page = { inboxId: id, limit: limit + 1, offset, since, now: now() }
      const rows = await listRequests(db, scope, page)
      const items = rows.map(({ receivedAt, ...row }) => ({
        ...row,
        receivedAt: receivedAt.toISOString(),
      }))
      return pageOf(items, limit, offset)
    },

    /** The Project of an inbox, or null when there is no such inbox. */
    ownerOf: (db: Db, id: string) => findInboxOwner(db, id),

    /** Keeps what came in; tells how to answer it, or null when there is no such inbox. */
    receive: (
      db: Db,
      id: string,
      request: { method: string; headers: Record<string, string>; body: string },
    ) => {
      const bytes = Buffer.byteLength(request.body) + JSON.stringify(request.headers).length
      const limits = { keep: KEPT_REQUESTS, keepBytes: KEPT_BYTES }
      return keepRequest(db, { inboxId: id, ...request, bytes, ...limits, now: now() })
    },

    /** Whether the URL is an inbox of this Project and mode. */
    async isInbox(db: Db, url: URL, scope: { projectId: string; mode: Mode }): Promise<boolean> {
      const id = url.origin === origin && /^\/caixa\/(box_[0-9a-z]{26})$/.exec(url.pathname)?.[1]
      return id ? inboxBelongs(db, scope, id) : false
    },

    sweep: (db: Db) => sweepRequests(db, new Date(clock.now() - KEPT_MS)),
  }
}
