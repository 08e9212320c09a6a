import type { Clock } from '../kernel/clock.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import type { AnyKind } from '../model/kinds/index.ts'
import type { MediaInput } from '../model/media-fields.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { MediaService } from './media.service.ts'

/** Files that are stored at once; files behind URLs apart, because their servers may hang. */
const CONCURRENCY = { stored: 3, fetched: 12 }
const PROJECT_CONCURRENCY = 2
const MAX_WAITING = 500
const WAIT_MS = 60_000

/** Stores the files of messages that are sent later; see `createDeferredFiles`. */
export type DeferredFiles = ReturnType<typeof createDeferredFiles>

/**
 * Creates the store of files for campaigns and scheduled messages. A file is fetched and validated when the message is
 * created, so that one that cannot be sent is reported to the caller and not when it is due.
 */
export function createDeferredFiles(deps: { clock: Clock; media: MediaService }) {
  const { clock, media } = deps
  const createGate = (kind: 'stored' | 'fetched') =>
    createFairSemaphore({
      clock,
      max: CONCURRENCY[kind],
      maxPerKey: PROJECT_CONCURRENCY,
      maxWaiting: MAX_WAITING,
      timeoutMs: WAIT_MS,
    })
  const gates = { stored: createGate('stored'), fetched: createGate('fetched') }
  return {
    /**
     * Stores the file of a message, outside of any transaction because a file may take a while. Returns the body with
     * the id of the stored file in place of its source; `mediaId` is null for kinds without a file, and `discard` removes
     * a file that was stored here. Throws 400, 404, 413 or 415.
     */
    async store<Body extends object>(
      db: Db,
      scope: Scope,
      kind: AnyKind,
      body: Body,
    ): Promise<{ message: Body; mediaId: string | null; discard: () => Promise<void> }> {
      const { media: rule } = kind
      if (!rule) return { message: body, mediaId: null, discard: async () => {} }
      const { media: input = {}, voice = false } = body as { media?: MediaInput; voice?: boolean }
      const demand = { rule, kind: kind.name, voice }
      const limited = gates[input.url === undefined ? 'stored' : 'fetched']
      const { media: file, fresh } = await limited(scope.projectId, () =>
        media.storeInputNow(db, scope, input, demand),
      )
      const discard = async () => {
        if (fresh) await media.discard(scope, file.id)
      }
      return { message: { ...body, media: { mediaId: file.id } }, mediaId: file.id, discard }
    },
  }
}
