import type { Mode } from '../kernel/config/config.ts'
import { requireSettled } from '../platform/db/access-failure.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { truncate } from '../kernel/text.ts'
import type { InboundMedia, MediaFacts } from '../networks/network-events.port.ts'
import { MAX_MEDIA_BYTES, VOICE_TYPE } from '../model/media-fields.ts'
import type { ImageFitter } from './fit-image.ts'
import { SPEAKABLE, type VoiceFitter } from './fit-voice.ts'
import type { MediaProcess } from './media-process.ts'
import {
  measureRecording,
  sniffType,
  UNMEASURED,
  type Declared,
  type Measures,
} from './inspect-file.ts'
import { MediaProblem } from './media-problem.ts'
import type { MediaDemand } from './media.schemas.ts'
import { insertMedia, markAvailable } from './media.sql.ts'
import type { Quota } from './quota.ts'
import type { StagedFile } from './store.port.ts'
import type { MediaStore } from './store.port.ts'

const DAY_MS = 24 * 3600_000
/** Time after which a row without stored bytes expires. */
const UNFINISHED_MS = 3600_000

/** The Project and mode that a file belongs to. */
export type Owner = { projectId: string; mode: Mode }

/** Creates the functions that validate, convert and store files: a row, and bytes in the store. */
export function createFileStorer(deps: {
  db: Db
  clock: Clock
  store: MediaStore
  images: ImageFitter
  voices: VoiceFitter
  process: MediaProcess
  quota: Quota
  retentionDays: number
}) {
  const { db, clock, store, images, voices, process, quota, retentionDays } = deps
  const expiry = (from = clock.now()) => new Date(from + retentionDays * DAY_MS)

  /** Validates a staged file and converts it if needed. Throws MediaProblem. */
  async function prepare(
    { projectId }: Pick<Owner, 'projectId'>,
    file: StagedFile,
    declared: Declared,
    demand: MediaDemand | null,
  ) {
    const rule = demand?.rule ?? { types: null, maxBytes: MAX_MEDIA_BYTES, image: null }
    const voice = demand?.voice ?? false
    const sniffed = await sniffType(file, declared, voice ? { types: SPEAKABLE } : rule)
    const fitted = await fit(projectId, file, sniffed, demand)
    const converted = fitted.file !== file
    return { ...fitted, fileName: cleanName(declared.fileName, converted ? fitted.mimeType : null) }
  }

  /** Converts a file as its message requires, and measures it. Throws MediaProblem. */
  async function fit(
    projectId: string,
    file: StagedFile,
    type: string,
    demand: MediaDemand | null,
  ): Promise<Omit<Prepared, 'fileName'>> {
    if (demand?.voice) return voices.fit(projectId, file, type)
    if (demand?.rule.image) return images.fit(projectId, file, type, demand.rule.image)
    if (demand === null && PHOTO.test(type)) return measurePhoto(projectId, file, type)
    // A document may be any file, even a truncated recording.
    const strict = demand === null || demand.rule.types !== null
    const measures = await measureRecording(file, type, strict, (path) =>
      process.run(projectId, 'recording', { path }),
    )
    return { file, mimeType: type, measures, preview: null }
  }

  /**
   * Returns the size of an upload that decodes as a photo. One without a size is decoded again when
   * it is sent as a photo.
   */
  async function measurePhoto(projectId: string, file: StagedFile, type: string) {
    try {
      return await images.fit(projectId, file, type, 'photo')
    } catch (error) {
      if (!(error instanceof MediaProblem)) throw error
      return { file, mimeType: type, measures: UNMEASURED, preview: null }
    }
  }

  type Prepared = {
    file: StagedFile
    mimeType: string
    measures: Measures
    preview: string | null
    fileName: string | null
  }

  /** Stores the bytes of a prepared file, whose row already exists. */
  async function storeFile(scope: Scope, mediaId: string, prepared: Prepared): Promise<MediaFacts> {
    const { file, mimeType, measures, preview, fileName } = prepared
    const { sizeBytes, sha256 } = file
    await store.put(keyOf({ ...scope, id: mediaId }), file.path, { sizeBytes, mimeType })
    const facts = { mimeType, fileName, sizeBytes, sha256, ...measures }
    const stored = { ...facts, preview, expiresAt: expiry() }
    // If its Project has begun to move, the caller sends it again, to the other installation.
    if (!(await markAvailable(db, scope, mediaId, stored)))
      await requireSettled(db, scope.projectId)
    return facts
  }

  async function insertPending(
    scope: Scope,
    extra: { instanceId?: string; source?: object; facts?: InboundMedia; fileName?: string },
  ): Promise<string> {
    const mediaId = newId('med', clock.now())
    const { instanceId = null, source = null, facts } = extra
    const row = {
      id: mediaId,
      instanceId,
      source,
      dueAt: null,
      mimeType: facts?.mimeType ?? null,
      fileName: facts ? cleanName(facts.fileName, null) : null,
      sizeBytes: facts?.sizeBytes ?? null,
      sha256: facts?.sha256 ?? null,
      durationSeconds: facts?.durationSeconds ?? null,
      width: facts?.width ?? null,
      height: facts?.height ?? null,
      expiresAt: facts ? expiry() : new Date(clock.now() + UNFINISHED_MS),
    }
    await insertMedia(db, scope, row, new Date(clock.now()))
    return mediaId
  }

  /** Validates a staged file and stores it under a new id. Throws MediaProblem. */
  async function add(
    scope: Scope,
    file: StagedFile,
    declared: Declared,
    demand: MediaDemand | null,
  ) {
    await quota.take(scope, file.sizeBytes)
    const prepared = await prepare(scope, file, declared, demand)
    await using made = prepared.file
    const mediaId = await insertPending(scope, {})
    return { id: mediaId, ...(await storeFile(scope, mediaId, { ...prepared, file: made })) }
  }

  return { expiry, prepare, storeFile, note: insertPending, add }
}
/** Stores files; see `createFileStorer`. */
export type FileStorer = ReturnType<typeof createFileStorer>

/** Photos of these types are sent unchanged if they decode. */
export const PHOTO = /^image\/(jpeg|png)$/

/**
 * The store key of a file. It starts with the Project, so that an operator can find or remove the
 * files of a company.
 */
export function keyOf({ projectId, mode, id }: Owner & { id: string }): string {
  return `${projectId}/${mode}/${id}`
}

const EXTENSIONS: Record<string, string> = {
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  [VOICE_TYPE]: 'ogg',
}

/**
 * Strips the path and control characters from a file name, limits its length, and sets the
 * extension of a converted file.
 */
export function cleanName(name: string | null, convertedTo: string | null): string | null {
  const last = (name ?? '').split(/[/\\]/).at(-1) ?? ''
  // oxlint-disable-next-line no-control-regex -- strips control characters
  const clean = last.replace(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '')
  const bare = truncate(clean.trim(), 255)
  if (!bare || bare === '.' || bare === '..') return null
  return convertedTo ? `${bare.replace(/\.[^.]*$/, '')}.${EXTENSIONS[convertedTo]}` : bare
}
