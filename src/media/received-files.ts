import type { Readable } from 'node:stream'
import type { Db } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFairSemaphore, SemaphoreTimeout } from '../kernel/fair-semaphore.ts'
import type { InboundMedia } from '../networks/network-events.port.ts'
import { MAX_MEDIA_BYTES } from '../model/media-fields.ts'
import { cleanName, type FileStorer, type Owner } from './store-file.ts'
import { MediaProblem } from './media-problem.ts'
import { markFailed } from './media.sql.ts'
import type { Stage } from './stage-file.ts'
import { MissingBytes } from './store.port.ts'

/** Maximum time that a received message waits for its file. */
const MESSAGE_WAIT_TIMEOUT_MS = 5000
const CONCURRENCY = 96
/** Maximum per Project, whose files may hang: the others keep half of the slots. */
const PROJECT_CONCURRENCY = 16
const MAX_WAITING = 10_000
const WAIT_MS = 30 * 60_000

/** Downloads a file. Calls `onSlow` if that will take long, so that the message does not wait. */
export type Download = (source: object, onSlow?: () => void) => Promise<Readable>

/** Creates the fetcher of received files. A slow or unavailable file delays its message by at most 5 seconds. */
export function createReceivedFiles(deps: {
  db: Db
  clock: Clock
  stage: Stage
  storeFile: FileStorer['storeFile']
  onError: (error: unknown, task?: string) => void
}) {
  const { db, clock, stage, storeFile, onError } = deps
  const gate = createFairSemaphore({
    clock,
    max: CONCURRENCY,
    maxPerKey: PROJECT_CONCURRENCY,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })

  /** Fetches a file and verifies its announced SHA-256. Returns false if that fails. */
  async function fetchNow(
    owner: Owner,
    mediaId: string,
    media: InboundMedia,
    download: Download,
    onSlow: () => void = () => {},
  ): Promise<boolean> {
    try {
      await using file = await stage.write(await download(media.source, onSlow), MAX_MEDIA_BYTES)
      if (file.sha256 !== media.sha256) throw new MediaProblem('broken', 'sha256')
      const { mimeType, durationSeconds, width, height, fileName } = media
      const measures = { durationSeconds, width, height }
      const scope = { ...owner, keyId: null }
      await storeFile(scope, mediaId, {
        file,
        mimeType,
        measures,
        preview: null,
        fileName: cleanName(fileName, null),
      })
      return true
    } catch (error) {
      // The message is stored even if its file cannot be fetched.
      if (!(error instanceof MediaProblem || error instanceof MissingBytes))
        onError(error, `storing received file ${mediaId}`)
      return false
    }
  }

  async function fetchInTurn(
    instance: Owner & { id: string },
    mediaId: string,
    media: InboundMedia,
    download: Download,
    onSlow: () => void,
  ): Promise<void> {
    const { projectId, mode } = instance
    const owner = { projectId, mode }
    try {
      const found = await gate(projectId, () => fetchNow(owner, mediaId, media, download, onSlow))
      if (!found) await markFailed(db, { ...owner, keyId: null }, mediaId)
    } catch (error) {
      if (!(error instanceof SemaphoreTimeout)) onError(error, `fetching received file ${mediaId}`)
      // A file that was not fetched stays pending until it is downloaded.
    }
  }

  return {
    fetchNow,

    /** Resolves when the file is stored, unavailable or slow; a slow one continues in the background. */
    receive(
      instance: Owner & { id: string },
      mediaId: string,
      media: InboundMedia,
      download: Download,
    ): Promise<void> {
      return new Promise((resolve) => {
        const timer = clock.after(MESSAGE_WAIT_TIMEOUT_MS, resolve)
        void fetchInTurn(instance, mediaId, media, download, resolve).finally(() => {
          timer.cancel()
          resolve()
        })
      })
    },
  }
}
