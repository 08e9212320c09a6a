import { stat } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import type { MediaRule } from '../model/media-fields.ts'
import { isMachineFault, MediaProblem } from './media-problem.ts'

/** Maximum pixels of all frames together; an image with more is a decompression bomb. */
const MAX_PIXELS = 50_000_000
/** The limit for images that are decoded whole, not line by line: AVIF and animations. */
const MAX_PIXELS_WHOLE = 16_000_000
const MAX_SIDE = 16_384
const PORTRAIT_SIDE = 640
const STICKER_SIDE = 512
const STICKER_BYTES = 1024 * 1024
const STICKER_QUALITIES = [80, 50, 25]
const DECODE_TIMEOUT_SECONDS = 20
const THUMBNAIL_SIDE = 96
const THUMBNAIL_QUALITY = 40

/** The codec of a recording, and its duration in seconds. */
export type Recording = { codec: string | null; duration: number | null }

/** A conversion of an image in the media process. */
export type ImageJob = {
  path: string
  mimeType: string
  sizeBytes: number
  as: NonNullable<MediaRule['image']>
  /** The path for the converted image. */
  output: string
}
/**
 * `converted` is the type of the image written to `output`; null if the original can be sent. `thumbnail` is a small
 * JPEG (base64), which phones show until they have the photo; null for stickers.
 */
export type FittedPixels = {
  converted: string | null
  width: number
  height: number
  thumbnail: string | null
}

/** Reads codec and duration. Rejects if the file is not a recording. */
export async function readRecording({ path }: { path: string }): Promise<Recording> {
  const { parseFile } = await import('music-metadata')
  const { format } = await parseFile(path, { duration: true, skipCovers: true })
  return { codec: format.codec ?? null, duration: format.duration ?? null }
}

/** Decodes an image fully to detect a broken one, and converts it if phones cannot display it. Throws MediaProblem. */
export async function fitImage(job: ImageJob): Promise<FittedPixels> {
  try {
    return await fit(job)
  } catch (error) {
    if (error instanceof MediaProblem || isMachineFault(error)) throw error
    const limit = error instanceof Error && /pixel limit|Timeout/i.test(error.message)
    throw limit
      ? new MediaProblem('too_large', `${MAX_PIXELS / 1e6} MP`, error)
      : new MediaProblem('broken', job.mimeType, error)
  }
}

async function fit({ path, mimeType, sizeBytes, as, output }: ImageJob): Promise<FittedPixels> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  const options = { failOn: 'truncated', limitInputPixels: MAX_PIXELS } as const
  const animated = as === 'sticker'
  const known = await sharp(path, { ...options, animated }).metadata()
  const frames = known.pages ?? 1
  const { width } = known
  const height = known.pageHeight ?? known.height
  const isReadySticker =
    as === 'sticker' &&
    mimeType === 'image/webp' &&
    width === STICKER_SIDE &&
    height === STICKER_SIDE &&
    sizeBytes <= STICKER_BYTES
  const isWhole = (frames > 1 && !isReadySticker) || known.format === 'heif'
  const most = isWhole ? MAX_PIXELS_WHOLE : MAX_PIXELS
  // A small animation grows to the size of a sticker, frame by frame.
  const converted = as === 'sticker' && !isReadySticker ? STICKER_SIDE ** 2 * frames : 0
  if (Math.max(width * height * frames, frames > 1 ? converted : 0) > most)
    throw new MediaProblem('too_large', `${most / 1e6} MP`)
  if (Math.max(width, height) > MAX_SIDE) throw new MediaProblem('too_large', `${MAX_SIDE} px`)
  const open = () =>
    sharp(path, { ...options, animated }).timeout({ seconds: DECODE_TIMEOUT_SECONDS })
  if (as === 'portrait') {
    const side = PORTRAIT_SIDE
    const square = open().autoOrient().resize(side, side, { fit: 'cover' })
    await square.flatten({ background: '#fff' }).jpeg({ quality: 80 }).toFile(output)
    return { converted: 'image/jpeg', width: side, height: side, thumbnail: null }
  }
  if (as === 'sticker') {
    if (!isReadySticker) {
      await makeSticker(open, output)
      const side = STICKER_SIDE
      return { converted: 'image/webp', width: side, height: side, thumbnail: null }
    }
  } else if (!/^image\/(jpeg|png)$/.test(mimeType)) {
    const photo = open().autoOrient().flatten({ background: '#fff' }).jpeg({ quality: 85 })
    const made = await photo.toFile(output)
    const thumbnail = await thumbnailOf(sharp(output))
    return { converted: 'image/jpeg', width: made.width, height: made.height, thumbnail }
  }
  if (as === 'photo')
    return { converted: null, width, height, thumbnail: await thumbnailOf(open()) }
  await open().stats()
  return { converted: null, width, height, thumbnail: null }
}

/** Renders a thumbnail, which decodes the whole image and therefore fails if it is broken. */
async function thumbnailOf(image: Sharp): Promise<string> {
  const small = await image
    .autoOrient()
    .resize(THUMBNAIL_SIDE, THUMBNAIL_SIDE, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#fff' })
    .jpeg({ quality: THUMBNAIL_QUALITY })
    .toBuffer()
  return small.toString('base64')
}

async function makeSticker(open: () => Sharp, output: string): Promise<void> {
  const startedAt = performance.now()
  for (const quality of STICKER_QUALITIES) {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const left = DECODE_TIMEOUT_SECONDS - (performance.now() - startedAt) / 1000
    if (left < 1) break
    await open()
      .timeout({ seconds: Math.floor(left) })
      .resize(STICKER_SIDE, STICKER_SIDE, { fit: 'contain', background })
      .webp({ quality })
      .toFile(output)
    if ((await stat(output)).size <= STICKER_BYTES) return
  }
  throw new MediaProblem('too_large', `${STICKER_BYTES / 1024 / 1024} MiB`)
}
