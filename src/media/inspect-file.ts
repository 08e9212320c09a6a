import { open } from 'node:fs/promises'
import { extname } from 'node:path'
import { SemaphoreTimeout } from '../kernel/fair-semaphore.ts'
import type { MediaRule } from '../model/media-fields.ts'
import type { Recording } from './media-jobs.ts'
import { isMachineFault, MediaProblem, UNKNOWN_TYPE } from './media-problem.ts'
import type { StagedFile } from './store.port.ts'

/** Types of text formats, which have no signature, by file extension. */
const BY_EXTENSION: Record<string, string> = {
  '.txt': 'text/plain',
  '.csv': 'text/csv',
  '.md': 'text/markdown',
  '.json': 'application/json',
  '.html': 'text/html',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
}
/** Containers whose first bytes do not show whether they hold audio or video. */
const CONTAINER =
  /^(?:audio|video)\/(?:(mp4|x-m4a|x-m4v|quicktime|3gpp|3gpp2)|(ogg|opus)|(webm|matroska|x-matroska))/

/**
 * The type and name that the sender declared. `hint` is the type that a host declares, which is often wrong: it counts
 * only where the bytes show none.
 */
export type Declared = { mimeType: string | null; fileName: string | null; hint?: string | null }

/**
 * Detects the type of a file from its bytes, and checks it against the declared type and the types
 * that the kind accepts. Throws MediaProblem.
 */
export async function sniffType(
  file: StagedFile,
  declared: Declared,
  rule: Pick<MediaRule, 'types'>,
): Promise<string> {
  const { fileTypeFromFile } = await import('file-type')
  const found = (await fileTypeFromFile(file.path))?.mime ?? null
  const claimed = bareType(declared.mimeType)
  if (found === null) {
    const hint = bareType(declared.hint)
    const type =
      claimed ??
      (hint && TELLING.test(hint) ? hint : null) ??
      BY_EXTENSION[extname(declared.fileName ?? '').toLowerCase()] ??
      UNKNOWN_TYPE
    if (rule.types || isAudiovisual(claimed)) throw new MediaProblem('unsupported', type)
    return type
  }
  const type = sameContainer(found, claimed) ? (claimed ?? found) : found
  if (claimed && claimed !== UNKNOWN_TYPE && contradicts(type, claimed)) {
    throw new MediaProblem('mismatch', type)
  }
  if (rule.types && !rule.types.test(type)) throw new MediaProblem('unsupported', type)
  return type
}

/** Types of a host that say something about a file: not those by which it only asks for a download. */
const TELLING = /^(?:text|application)\/(?!octet-stream$|force-download$|x-download$)[\w.+-]+$/

/** The lowercase type without its parameters. */
const bareType = (type: string | null | undefined): string | null =>
  type?.split(';')[0]?.trim().toLowerCase() || null

const isAudiovisual = (type: string | null) => /^(image|audio|video)\//.test(type ?? '')

function contradicts(found: string, claimed: string): boolean {
  if (!isAudiovisual(found) && !isAudiovisual(claimed)) return false
  return found.split('/')[0] !== claimed.split('/')[0]
}

function sameContainer(found: string, claimed: string | null): boolean {
  const [left, right] = [CONTAINER.exec(found), CONTAINER.exec(claimed ?? '')]
  if (!left || !right) return false
  return [1, 2, 3].some((group) => left[group] && right[group])
}

/** Duration in seconds and size in pixels; null where they do not apply. */
export type Measures = {
  durationSeconds: number | null
  width: number | null
  height: number | null
}
/** The measures of a file that has none. */
export const UNMEASURED: Measures = { durationSeconds: null, width: null, height: null }

/**
 * Measures the duration of a recording. `strict` rejects a truncated file or one without a playable
 * track. Throws MediaProblem.
 */
export async function measureRecording(
  file: StagedFile,
  type: string,
  strict: boolean,
  read: (path: string) => Promise<Recording>,
): Promise<Measures> {
  if (!/^(audio|video)\//.test(type)) return UNMEASURED
  try {
    const format = await read(file.path)
    const boxed = BOXED.test(type)
    if (strict && boxed && !(await hasWholeBoxes(file)))
      throw new Error(`incomplete MP4 box in ${file.path} (${type})`)
    if (strict && !boxed && !format.codec)
      throw new Error(`no playable track in ${file.path} (${type})`)
    if (!format.duration || !Number.isFinite(format.duration)) return UNMEASURED
    return { ...UNMEASURED, durationSeconds: Math.round(format.duration * 100) / 100 }
  } catch (error) {
    if (error instanceof SemaphoreTimeout || isMachineFault(error)) throw error
    if (error instanceof MediaProblem) throw error
    if (!strict) return UNMEASURED
    throw new MediaProblem('broken', type, error)
  }
}

/** Maximum top-level boxes; a fragmented recording has two for every few seconds. */
const MAX_BOXES = 10_000
const BOXED = /^(audio|video)\/(mp4|x-m4a|x-m4v|quicktime|3gpp2?)/

/** Whether an MP4-family file has an index (`moov`) and no truncated top-level box. */
async function hasWholeBoxes({ path, sizeBytes }: StagedFile): Promise<boolean> {
  await using file = await open(path)
  const header = Buffer.alloc(16)
  let indexed = false
  let boxes = 0
  for (let at = 0; at < sizeBytes;) {
    if (++boxes > MAX_BOXES) return false
    const { bytesRead } = await file.read(header, 0, 16, at)
    if (bytesRead < 8) return false
    const short = header.readUint32BE(0)
    // 1: the length follows in eight bytes; 0: the box extends to the end of the file.
    const long = short === 1 && bytesRead === 16 ? Number(header.readBigUint64BE(8)) : short
    const length = short === 0 ? sizeBytes - at : long
    if (length < 8 || at + length > sizeBytes) return false
    indexed ||= header.toString('latin1', 4, 8) === 'moov'
    at += length
  }
  return indexed
}
