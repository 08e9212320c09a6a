import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { toPage } from '../../kernel/schemas.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { InboxResponseBody, Inbox } from './inboxes.schemas.ts'
import {
  deleteInbox,
  findInbox,
  findInboxOwner,
  inboxExists,
  insertInbox,
  insertRequest,
  listInboxes,
  listRequests,
  setInboxResponse,
  sweepRequests,
  type InboxRow,
} from './inboxes.sql.ts'

/** Maximum inboxes per Project and mode. */
const MAX_INBOXES = 100
/** Number of requests that an inbox retains. */
export const MAX_REQUESTS = 50
/** Retention of requests. */
const REQUEST_RETENTION_MS = 3600_000
/** Maximum total size of the bodies and headers that an inbox retains. */
const MAX_REQUEST_BYTES = 1024 * 1024
/** Maximum size of a request body in bytes; larger requests are rejected, because inboxes are public. */
export const MAX_INBOX_BODY = 64 * 1024

/** Manages test inboxes; see `createInboxesService`. */
export type InboxesService = ReturnType<typeof createInboxesService>

/**
 * Creates the service for test inboxes, the only webhook targets inside the product. Its methods throw 404 if the
 * network of the mode is not simulated (G55).
 */
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

  function requireSimulator(scope: Scope): void {
    if (!simulates(scope.mode)) throw fail('not_found', (say) => say.phones.networkMissing)
  }

  async function getOrThrow(db: Db, scope: Scope, id: string): Promise<InboxRow> {
    requireSimulator(scope)
    const row = await findInbox(db, scope, id, now())
    if (!row) throw fail('not_found', (say) => say.inboxes.notFound)
    return row
  }

  return {
    /** Throws 404 if the mode does not use the simulator. */
    requireSimulator,

    /** Creates an inbox that returns 200. Throws 400 beyond the maximum number of inboxes. */
    async create(db: Db, scope: Scope, name: string): Promise<Inbox> {
      requireSimulator(scope)
      const at = now()
      const id = newId('box', at.getTime())
      const made = await insertInbox(db, scope, { id, name, now: at, most: MAX_INBOXES })
      if (!made) throw fail('bad_request', (say) => say.inboxes.limit)
      const answer = { answerStatus: 200, answerTimes: null, answerLate: false }
      return render({ id, name, ...answer, createdAt: at })
    },

    /** Returns a page of inboxes, newest first. */
    async list(db: Db, scope: Scope, { limit, offset }: { limit: number; offset: number }) {
      requireSimulator(scope)
      const rows = await listInboxes(db, scope, { limit: limit + 1, offset, now: now() })
      return toPage(rows.map(render), limit, offset)
    },

    /** Returns an inbox. Throws 404 if it is not in this scope. */
    get: async (db: Db, scope: Scope, id: string): Promise<Inbox> =>
      render(await getOrThrow(db, scope, id)),

    /** Deletes an inbox. Throws 404 if it is not in this scope. */
    async remove(db: Db, scope: Scope, id: string): Promise<void> {
      requireSimulator(scope)
      const removed = await deleteInbox(db, scope, id, now())
      if (!removed) throw fail('not_found', (say) => say.inboxes.notFound)
    },

    /** Sets the response of an inbox, for all or the next `times` requests. Throws 404 if it is not in this scope. */
    async setResponse(db: Db, scope: Scope, id: string, body: InboxResponseBody): Promise<Inbox> {
      requireSimulator(scope)
      const { status, times = null, timeout: late = false } = body
      const row = await setInboxResponse(db, scope, id, { status, times, late }, now())
      if (!row) throw fail('not_found', (say) => say.inboxes.notFound)
      return render(row)
    },

    /** Returns a page of the requests of the last hour, at most 50 in all, newest first. */
    async requests(
      db: Db,
      scope: Scope,
      id: string,
      { limit, offset }: { limit: number; offset: number },
    ) {
      await getOrThrow(db, scope, id)
      const since = new Date(clock.now() - REQUEST_RETENTION_MS)
      const page = { inboxId: id, limit: limit + 1, offset, since, now: now() }
      const rows = await listRequests(db, scope, page)
      const items = rows.map(({ receivedAt, ...row }) => ({
        ...row,
        receivedAt: receivedAt.toISOString(),
      }))
      return toPage(items, limit, offset)
    },

    /** Returns the Project of an inbox, or null if there is no such inbox. */
    ownerOf: (db: Db, id: string) => findInboxOwner(db, id),

    /** Stores a request. Returns the response to send, or null if there is no such inbox. */
    receive: (
      db: Db,
      id: string,
      request: { method: string; headers: Record<string, string>; body: string },
    ) => {
      const bytes = Buffer.byteLength(request.body) + JSON.stringify(request.headers).length
      const limits = { maxRequests: MAX_REQUESTS, maxBytes: MAX_REQUEST_BYTES }
      return insertRequest(db, { inboxId: id, ...request, bytes, ...limits, now: now() })
    },

    /** Returns whether the URL is that of an inbox of this Project and mode. */
    async isInbox(db: Db, url: URL, scope: { projectId: string; mode: Mode }): Promise<boolean> {
      const id = url.origin === origin && /^\/caixa\/(box_[0-9a-z]{26})$/.exec(url.pathname)?.[1]
      return id ? inboxExists(db, scope, id) : false
    },

    /** Deletes requests older than an hour. */
    sweep: (db: Db) => sweepRequests(db, new Date(clock.now() - REQUEST_RETENTION_MS)),
  }
}
