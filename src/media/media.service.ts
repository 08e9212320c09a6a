import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { AddressPolicy } from '../kernel/address-policy.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import type { Egress } from '../platform/egress/safe-fetch.ts'
import { parseTarget } from '../platform/egress/target-url.ts'
import type { InboundMedia } from '../networks/network-events.port.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { showMedia, type MediaInput } from '../model/media-fields.ts'
import { decodeBase64 } from './decode-base64.ts'
import { fetchUrl } from './fetch-url.ts'
import type { ImageFitter } from './fit-image.ts'
import { PLAYABLE, type VoiceFitter } from './fit-voice.ts'
import type { MediaProcess } from './media-process.ts'
import { cleanName, createFileStorer, keyOf, PHOTO, type Owner } from './store-file.ts'
import type { Declared } from './inspect-file.ts'
import { factsOf } from './media-facts.ts'
import { orFailure, urlFailure } from './media-problem.ts'
import { PORTRAIT, type MediaDemand, type UploadedMedia } from './media.schemas.ts'
import {
  findMedia,
  insertMedia,
  markExpired,
  markFailed,
  extendRetention,
  type MediaRow,
} from './media.sql.ts'
import type { Stage } from './stage-file.ts'
import { createUploadReceiver } from './receive-upload.ts'
import { createReceivedFiles, type Download } from './received-files.ts'
import { MissingBytes, type MediaStore, type StagedFile } from './store.port.ts'
import type { Quota } from './quota.ts'
import { taken, UNKNOWN_FACTS, type StoredMedia } from './taken-media.ts'
import { sweepFiles } from './sweep-files.ts'

export type { StoredMedia } from './taken-media.ts'
export { factsOf } from './media-facts.ts'
/** Manages files; see `createMediaService`. */
export type MediaService = ReturnType<typeof createMediaService>

/** Creates the service that receives, validates, converts, stores and serves files (G32). */
export function createMediaService(deps: {
  /**
   * Connection for the rows of stored files, which must survive a failed request. The row of a file by URL, and a
   * longer retention, are written in the caller's transaction.
   */
  db: Db
  clock: Clock
  policy: AddressPolicy
  store: MediaStore
  stage: Stage
  images: ImageFitter
  voices: VoiceFitter
  process: MediaProcess
  quota: Quota
  recheckKey: Authenticator['recheckKey']
  egress: Egress
  publish: BusTopics['publish']
  retentionDays: number
  onError: (error: unknown, task?: string) => void
}) {
  const { db, clock, policy, store, stage, egress, publish, onError } = deps
  const now = () => new Date(clock.now())
  const scopeOf = (owner: Owner): Scope => ({ ...owner, keyId: null })
  const { expiry, prepare, storeFile, note, add } = createFileStorer(deps)
  const received = createReceivedFiles({ db, clock, stage, storeFile, onError })
  /** Downloads in progress, by file. */
  const downloads = new Map<string, Promise<boolean>>()

  async function getOrThrow(on: Db, scope: Scope, mediaId: string): Promise<MediaRow> {
    const row = await findMedia(on, scope, mediaId, now())
    if (!row || row.status !== 'available') throw fail('not_found', (say) => say.media.notFound)
    return row
  }

  /** Reuses a stored file: the file itself, or a copy converted for the kind. */
  async function reuse(
    on: Db,
    scope: Scope,
    input: MediaInput,
    demand: MediaDemand,
  ): Promise<StoredMedia> {
    const row = await getOrThrow(on, scope, input.mediaId ?? '')
    const { rule, voice } = demand
    const type = row.mimeType ?? ''
    const fits =
      (!voice || (PLAYABLE.test(type) && row.previewed)) &&
      (rule.types?.test(type) ?? true) &&
      (row.sizeBytes ?? 0) <= rule.maxBytes &&
      (rule.image === null || (rule.image === 'photo' && PHOTO.test(type) && row.previewed))
    if (fits && !input.fileName) {
      if (!(await extendRetention(on, scope, row.id, expiry(), now())))
        throw fail('not_found', (say) => say.media.notFound)
      return { media: showMedia({ ...row, voice }), fresh: false }
    }
    await using file = await stage.write(await openBytes(row), rule.maxBytes)
    const declared = { mimeType: type, fileName: input.fileName ?? row.fileName }
    return taken(await add(scope, file, declared, demand), demand)
  }

  /** Returns the bytes of a file, or an inclusive range of them. Throws 404. */
  async function openBytes(
    row: Pick<MediaRow, 'id' | 'projectId' | 'mode'>,
    range?: { start: number; end: number },
  ): Promise<Readable> {
    try {
      return await store.open(keyOf(row), range)
    } catch (error) {
      if (error instanceof MissingBytes)
        throw fail('not_found', (say) => say.media.notFound, { cause: error })
      throw error
    }
  }

  /** Fetches a URL to disk. Throws MediaProblem. */
  const fetchFile = (url: string, maxBytes: number) =>
    fetchUrl({ clock, policy, egress, stage }, url, maxBytes)

  return {
    /** Writes an upload to disk. Throws a Failure if it is empty or larger than `maxBytes`. */
    stageUpload: (source: Readable, maxBytes: number): Promise<StagedFile> =>
      orFailure(() => stage.write(source, maxBytes)),
    fetchFile,

    /** Like `storeInput`, but fetches a URL while the caller waits: for callers without a queue. */
    async storeInputNow(
      db: Db,
      scope: Scope,
      input: MediaInput,
      demand: MediaDemand,
    ): Promise<StoredMedia> {
      if (input.url === undefined) return this.storeInput(db, scope, input, demand)
      const { url, mimeType = null, fileName = null } = input
      return orFailure(async () => {
        const fetched = await fetchFile(url, demand.rule.maxBytes)
        await using file = fetched.file
        const declared = { mimeType, hint: fetched.contentType, fileName }
        return taken(await add(scope, file, declared, demand), demand)
      })
    },

    /** Returns an image as a square JPEG of 640 pixels, for a profile; keeps no file. Throws 400, 404, 413 or 415. */
    async portrait(db: Db, scope: Scope, input: MediaInput): Promise<Buffer> {
      const { media } = await this.storeInputNow(db, scope, input, PORTRAIT)
      try {
        return await buffer(await this.open({ ...scope, id: media.id }))
      } finally {
        await this.discard(scope, media.id)
      }
    },

    receiveUpload: createUploadReceiver(deps),

    /** Stores an upload. Throws 400, 413 or 415 for an invalid file. */
    async upload(scope: Scope, file: StagedFile, declared: Declared): Promise<UploadedMedia> {
      const { id, mimeType, fileName, sizeBytes, sha256 } = await orFailure(() =>
        add(scope, file, declared, null),
      )
      return { id, mimeType, fileName, sizeBytes, sha256, expiresAt: expiry().toISOString() }
    },

    /** Stores an upload that is sent immediately. */
    async storeUpload(
      scope: Scope,
      file: StagedFile,
      declared: Declared,
      demand: MediaDemand,
    ): Promise<StoredMedia> {
      return taken(await orFailure(() => add(scope, file, declared, demand)), demand)
    },

    /** Throws 413 if the Project may store no more files to send. For a URL, before the transaction that takes it. */
    requireRoom: (scope: Scope): Promise<void> => orFailure(() => deps.quota.take(scope, 0)),

    /**
     * Stores the file of a send. Bytes and ids are validated now (400, 404, 413, 415). A URL is validated as far as
     * possible without a connection, and recorded in the caller's transaction to be fetched.
     */
    async storeInput(
      tx: Db,
      scope: Scope,
      input: MediaInput,
      demand: MediaDemand,
    ): Promise<StoredMedia> {
      const { url, base64, mediaId, mimeType = null, fileName = null } = input
      if ([url, base64, mediaId].filter((part) => part !== undefined).length !== 1) {
        throw fail('bad_request', (say) => say.media.source, { field: 'media' })
      }
      if (mediaId !== undefined) {
        return orFailure(() => reuse(tx, scope, input, demand))
      }
      if (base64 !== undefined) {
        const { chunks, claimed } = decodeBase64(base64)
        return orFailure(async () => {
          await using file = await stage.write(Readable.from(chunks), demand.rule.maxBytes)
          const declared = { mimeType: mimeType ?? claimed, fileName }
          return taken(await add(scope, file, declared, demand), demand)
        })
      }
      const target = parseTarget(url ?? '', policy)
      if (target.problem) throw urlFailure(target.problem)
      const id = newId('med', clock.now())
      const source = { url: target.url.href, kind: demand.kind, voice: demand.voice }
      const row = {
        id,
        instanceId: null,
        mimeType,
        fileName: cleanName(fileName, null),
        ...UNKNOWN_FACTS,
        source,
      }
      await insertMedia(tx, scope, { ...row, dueAt: now(), expiresAt: expiry() }, now())
      tx.afterCommit(() => publish('media', { mediaId: id }))
      return { media: showMedia({ ...row, status: 'pending', voice: demand.voice }), fresh: true }
    },

    /** Extends the retention of a file that will be sent at `at`; null if it is gone. */
    async hold(tx: Db, scope: Scope, mediaId: string, voice: boolean, at = clock.now()) {
      if (!(await extendRetention(tx, scope, mediaId, expiry(at), now()))) return null
      const row = await findMedia(tx, scope, mediaId, now())
      return row?.status === 'available' ? showMedia({ ...row, voice }) : null
    },

    /** Removes a file that was stored for a rejected send. */
    async discard(scope: Scope, mediaId: string): Promise<void> {
      // Bytes that cannot be removed now are removed when the file expires.
      const failures = await store.remove([keyOf({ ...scope, id: mediaId })])
      if (failures.length === 0) await markExpired(db, [mediaId])
    },

    /** Stores a file that was fetched for a send. Throws MediaProblem. */
    async finishFetch(
      owner: Owner,
      mediaId: string,
      file: StagedFile,
      declared: Declared,
      demand: MediaDemand,
    ) {
      const prepared = await prepare(owner, file, declared, demand)
      await using made = prepared.file
      await deps.quota.take(scopeOf(owner), made.sizeBytes)
      await storeFile(scopeOf(owner), mediaId, { ...prepared, file: made })
    },
    giveUp: (owner: Owner, mediaId: string) => markFailed(db, scopeOf(owner), mediaId),

    /**
     * Records the file of an incoming message, and fetches it if `download` is given; returns its
     * id. A slow or missing file delays no message: it stays pending or failed, and is fetched
     * again on the next download.
     */
    async receive(
      instance: Owner & { id: string },
      media: InboundMedia,
      download: Download | null,
    ): Promise<string> {
      const scope = scopeOf({ projectId: instance.projectId, mode: instance.mode })
      const mediaId = await note(scope, {
        instanceId: instance.id,
        source: media.source,
        facts: media,
      })
      if (download) await received.receive(instance, mediaId, media, download)
      return mediaId
    },

    /** Fetches a file that its network still stores, once for concurrent calls; false if it is unavailable. */
    async fetchHeld(
      scope: Scope,
      mediaId: string,
      download: (source: object) => Promise<Readable>,
    ): Promise<boolean> {
      const row = await findMedia(db, scope, mediaId, now())
      if (!row?.source) return false
      const media = { ...factsOf(row), source: row.source }
      const fetching =
        downloads.get(mediaId) ??
        received.fetchNow(scope, mediaId, media, download).finally(() => downloads.delete(mediaId))
      downloads.set(mediaId, fetching)
      return fetching
    },

    find: (scope: Scope, mediaId: string) => findMedia(db, scope, mediaId, now()),

    /** Returns the bytes of an available file. Throws 404 if they are missing. */
    open: openBytes,

    sweep: (patient: Db) => sweepFiles({ db: patient, store, now, onError }),
  }
}
