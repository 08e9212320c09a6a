import type { Sharp } from 'sharp'
import type { Clock } from '../lib/clock.ts'
import { createFairGate, GateBusy } from '../lib/fair-gate.ts'
import type { MediaRule } from '../records/media-fields.ts'
import type { Measures } from './inspect-file.ts'
import { MediaProblem } from './media-problem.ts'
import { mebibytes, type Stage, type StagedFile } from './stage-file.ts'

/** Pixels of all frames together: an image that unfolds into more is a bomb, whatever it weighs. */
const MOST_PIXELS = 50_000_000
/** Of those that are decoded whole rather than line by line: AVIF, and every frame of an animation. */
const MOST_PIXELS_WHOLE = 16_000_000
const MOST_SIDE = 16_384
const STICKER_SIDE = 512
const STICKER_BYTES = 1024 * 1024
const STICKER_QUALITIES = [80, 50, 25]
const SECONDS = 20
const AT_ONCE = 2
const MAX_WAITING = 500
const WAIT_MS = 60_000

export type FittedImage = { file: StagedFile; mimeType: string; measures: Measures }

/** Decodes images whole, which finds the broken ones, and converts those that a network would not show. */
export function createImageFitter(stage: Stage, clock: Clock) {
  /** Two at once: each takes a core, and its pixels in memory. The Projects take turns. */
  const gate = createFairGate({ clock, max: AT_ONCE, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })

  async function fit(
    file: StagedFile,
    mimeType: string,
    as: NonNullable<MediaRule['image']>,
  ): Promise<FittedImage> {
    const { default: sharp } = await import('sharp')
    sharp.concurrency(1)
    const options = { failOn: 'truncated', limitInputPixels: MOST_PIXELS } as const
    const animated = as === 'sticker'
    const known = await sharp(file.path, { ...options, animated }).metadata()
    const frames = known.pages ?? 1
    const height = known.pageHeight ?? known.height
    const most = frames > 1 || known.format === 'heif' ? MOST_PIXELS_WHOLE : MOST_PIXELS
    if (known.width * height * frames > most) {
      throw new MediaProblem('too_large', `${most / 1e6} MP`)
    }
    if (Math.max(known.width, height) > MOST_SIDE) {
      throw new MediaProblem('too_large', `${MOST_SIDE} px`)
    }
    const open = () => sharp(file.path, { ...options, animated }).timeout({ seconds: SECONDS })
    const measures = { durationSeconds: null, width: known.width, height }
    const fits =
      as === 'photo'
        ? /^image\/(jpeg|png)$/.test(mimeType)
        : mimeType === 'image/webp' &&
          known.width === STICKER_SIDE &&
          height === STICKER_SIDE &&
          file.sizeBytes <= STICKER_BYTES
    if (fits) {
      await open().stats()
      return { file, mimeType, measures }
    }
    if (as === 'photo') {
      const path = stage.name()
      const made = await open()
        .autoOrient()
        .flatten({ background: '#fff' })
        .jpeg({ quality: 85 })
        .toFile(path)
      const size = { width: made.width, height: made.height }
      return {
        file: await stage.adopt(path),
        mimeType: 'image/jpeg',
        measures: { ...measures, ...size },
      }
    }
    return {
      ...(await makeSticker(open)),
      measures: { ...measures, width: STICKER_SIDE, height: STICKER_SIDE },
    }
  }

  async function makeSticker(open: () => Sharp) {
    for (const quality of STICKER_QUALITIES) {
      const path = stage.name()
      const background = { r: 0, g: 0, b: 0, alpha: 0 }
      await open()
        .resize(STICKER_SIDE, STICKER_SIDE, { fit: 'contain', background })
        .webp({ quality })
        .toFile(path)
      const file = await stage.adopt(path)
      if (file.sizeBytes <= STICKER_BYTES) return { file, mimeType: 'image/webp' }
      await file[Symbol.asyncDispose]()
    }
    throw new MediaProblem('too_large', mebibytes(STICKER_BYTES))
  }

  return {
    /** The image as the kind wants it, perhaps the file itself. Throws MediaProblem: broken or too large. */
    async fit(
      projectId: string,
      file: StagedFile,
      mimeType: string,
      as: NonNullable<MediaRule['image']>,
    ): Promise<FittedImage> {
      try {
        return await gate(projectId, () => fit(file, mimeType, as))
      } catch (error) {
        if (error instanceof MediaProblem || error instanceof GateBusy) throw error
        const limit = error instanceof Error && /pixel limit|Timeout/i.test(error.message)
        throw limit
          ? new MediaProblem('too_large', `${MOST_PIXELS / 1e6} MP`, error)
          : new MediaProblem('broken', mimeType, error)
      }
    },
  }
}
export type ImageFitter = ReturnType<typeof createImageFitter>
