import { extname } from 'node:path'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import { UNWATCHED_POLL_MS, type DueWatch } from '../platform/db/due-watch.ts'
import type { Db } from '../platform/db/sql.ts'
import type { PendingWork } from '../kernel/pending-work.ts'
import type { Clock } from '../kernel/clock.ts'
import { createLoop } from '../kernel/loop.ts'
import { kindNamed } from '../model/kinds/index.ts'
import type { MessageErrorCode } from '../model/records.schemas.ts'
import { RetryableFetchError } from './fetch-url.ts'
import { MediaProblem } from './media-problem.ts'
import type { MediaService } from './media.service.ts'
import {
  anyMediaDue,
  claimDueMedia,
  postponeMedia,
  postponeUncounted,
  type DueMedia,
} from './media.sql.ts'

const FETCH_CONCURRENCY = 64
/** Slow hosts of one Project must not occupy every slot. */
const PROJECT_FETCH_CONCURRENCY = 4
/** Afterwards another node may try. A fetch in progress renews it, because its conversion may wait for a turn. */
const HIDDEN_MS = 90_000
const RENEW_MS = 30_000
const MAX_ATTEMPTS = 3
const RETRY_MS = 2000
/** After a fault of this installation, such as a full disk or a busy media process; such attempts do not count. */
const OWN_FAULT_RETRY_MS = 30_000

/** Notified of the outcome of fetches; implemented by `messaging/messages`. */
export type FetchListener = {
  /** The file is stored: messages that wait for it can be sent. */
  ready(mediaId: string): Promise<void>
  /** The file is unavailable: messages that wait for it fail. */
  failed(mediaId: string, code: MessageErrorCode): Promise<void>
}

/**
 * Starts the worker that fetches the URLs of accepted sends. Any node may fetch a URL; attempts are
 * limited, and so is the concurrency per Project.
 */
export function startMediaWorker(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  bus: BusTopics
  dueWatch: DueWatch
  media: MediaService
  listener: FetchListener
  onError: (error: unknown, task?: string) => void
}): { stop(): Promise<void> } {
  const { db, clock, activity, bus, dueWatch, media, listener, onError } = deps
  const underWay = new Map<DueMedia, Promise<void>>()

  async function fetchOne(due: DueMedia): Promise<void> {
    const { id, source, fileName } = due
    const rule = kindNamed(source.kind)?.media
    if (!rule) throw new Error(`message kind ${source.kind} accepts no file (file ${id})`)
    const { file, contentType } = await media.fetchFile(source.url, rule.maxBytes)
    await using fetched = file
    const name = fileName ?? nameIn(source.url)
    const declared = { mimeType: due.mimeType, hint: contentType, fileName: name }
    await media.finishFetch(due, id, fetched, declared, { rule, ...source })
    await listener.ready(id)
  }

  /** Keeps other nodes from fetching a file until the returned function is called. */
  function keepHidden({ id }: DueMedia): () => void {
    const renew = () => {
      const until = new Date(clock.now() + HIDDEN_MS)
      void postponeMedia(db, id, until).catch((error: unknown) => onError(error, `file ${id}`))
      timer = clock.after(RENEW_MS, renew)
    }
    let timer = clock.after(RENEW_MS, renew)
    return () => timer.cancel()
  }

  async function fetchOrFail(due: DueMedia): Promise<void> {
    const release = keepHidden(due)
    try {
      await fetchOne(due)
    } catch (error) {
      const known = error instanceof MediaProblem
      if (!known) onError(error, `file ${due.id}`)
      release()
      if (!known) {
        const later = new Date(clock.now() + OWN_FAULT_RETRY_MS)
        if (await postponeUncounted(db, due.id, later)) return
      }
      if (error instanceof RetryableFetchError && due.attempts < MAX_ATTEMPTS) {
        await postponeMedia(db, due.id, new Date(clock.now() + RETRY_MS))
        return
      }
      // Fail the messages first: a crash in between then costs only a useless fetch.
      await listener.failed(due.id, known ? error.toErrorCode() : 'MEDIA_FETCH_FAILED')
      await media.giveUp(due, due.id)
    } finally {
      release()
    }
  }

  async function poll(): Promise<boolean> {
    const most = FETCH_CONCURRENCY - underWay.size
    if (most <= 0) return false
    const now = clock.now()
    const busy = [...underWay.keys()].map((due) => due.projectId)
    const hiddenUntil = new Date(now + HIDDEN_MS)
    const claim = { most, mostOfProject: PROJECT_FETCH_CONCURRENCY, busy, hiddenUntil }
    for (const due of await claimDueMedia(db, claim, new Date(now))) {
      const work = activity
        .run(() => fetchOrFail(due))
        .catch((error: unknown) => onError(error, `file ${due.id}`))
        .finally(() => {
          underWay.delete(due)
          loop.wake()
        })
      underWay.set(due, work)
    }
    return false
  }

  const loop = createLoop({
    task: 'fetching due files',
    clock,
    activity,
    everyMs: () => UNWATCHED_POLL_MS,
    run: poll,
    onError,
  })
  const unsubscribe = [
    bus.subscribe('media', loop.wake),
    dueWatch.watch(
      (now) => (underWay.size >= FETCH_CONCURRENCY ? null : anyMediaDue(db, now)),
      loop.wake,
    ),
  ]
  return {
    async stop() {
      for (const end of unsubscribe) end()
      await loop.stop()
      await Promise.all(underWay.values())
    },
  }
}

/** Returns the last segment of a URL's path if it has an extension, else null. */
function nameIn(url: string): string | null {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  if (extname(last) === '') return null
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
