import { disposableUntilKept, type Prepared } from '../../kernel/prepared.ts'
import type { MediaDemand } from '../../media/media.schemas.ts'
import type { MediaService, StoredMedia } from '../../media/media.service.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import type { Send } from './send.ts'

/** Sends whose files are stored. Disposing deletes the files, unless the sends were accepted. */
export type ReadySends = Prepared & { sends: [Send, ...Send[]] }

/** Whether the file of a send is fetched from a URL after acceptance. */
export const isByUrl = ({ kind, body }: Send): boolean =>
  kind.media !== null && body.media?.url !== undefined

const demandOf = ({ kind, body }: Send): MediaDemand | null =>
  kind.media ? { rule: kind.media, kind: kind.name, voice: body.voice ?? false } : null

/** Creates the functions that store the files of sends. */
export function createSendFiles(deps: {
  media: Pick<MediaService, 'storeInput' | 'storeUpload' | 'requireRoom' | 'discard'>
  /** Validates a send. Throws 400 or 404. */
  check: (db: Db, scope: Scope, instanceId: string, message: Send) => Promise<void>
}) {
  const { media, check } = deps

  /** Stores the file of a send; null for a kind without one. */
  async function storeFile(db: Db, scope: Scope, send: Send): Promise<StoredMedia | null> {
    const demand = demandOf(send)
    if (!demand) return null
    const { upload, body } = send
    if (upload) return media.storeUpload(scope, upload.file, upload, demand)
    return media.storeInput(db, scope, body.media ?? {}, demand)
  }

  /**
   * Stores the files of sends before their transaction, which must not wait for storage.
   * Sends whose file is already stored are returned unchanged. Throws 400, 404, 413 or 415.
   */
  async function storeFiles(
    db: Db,
    scope: Scope,
    instanceId: string,
    messages: [Send, ...Send[]],
  ): Promise<ReadySends> {
    const [first] = messages
    const fresh: string[] = []
    const discard = async () => {
      for (const mediaId of fresh) await media.discard(scope, mediaId)
    }
    async function store(message: Send): Promise<Send> {
      if (message.storedFile !== undefined) return message
      if (isByUrl(message)) {
        await media.requireRoom(scope)
        return { ...message, storedFile: null }
      }
      const storedFile = await storeFile(db, scope, message)
      if (storedFile?.fresh) fresh.push(storedFile.media.id)
      return { ...message, storedFile }
    }
    // No file is stored for a send that will be rejected.
    if (first.storedFile === undefined && first.kind.media)
      await check(db, scope, instanceId, first)
    try {
      const sends: [Send, ...Send[]] = [await store(first)]
      for (const message of messages.slice(1)) sends.push(await store(message))
      return disposableUntilKept({ sends }, discard)
    } catch (error) {
      await discard()
      throw error
    }
  }

  return { storeFile, storeFiles }
}
