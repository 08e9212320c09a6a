import { rm } from 'node:fs/promises'
import type { MediaRule } from '../model/media-fields.ts'
import type { Measures } from './inspect-file.ts'
import { MediaProblem } from './media-problem.ts'
import { JobLost, type MediaProcess } from './media-process.ts'
import type { Stage } from './stage-file.ts'
import type { StagedFile } from './store.port.ts'

/** An image that phones can display. */
export type FittedImage = {
  file: StagedFile
  mimeType: string
  measures: Measures
  preview: string | null
}
/** Converts images that phones cannot display; see `createImageFitter`. */
export type ImageFitter = ReturnType<typeof createImageFitter>

/**
 * Creates the fitter. It decodes every image fully to detect broken ones, and converts those that
 * phones cannot display.
 */
export function createImageFitter(stage: Stage, media: MediaProcess) {
  return {
    /**
     * Returns the image in a format that the kind accepts, converted only if necessary. Throws
     * MediaProblem if it is broken or too large.
     */
    async fit(
      projectId: string,
      file: StagedFile,
      mimeType: string,
      as: NonNullable<MediaRule['image']>,
    ): Promise<FittedImage> {
      const output = stage.name()
      const { path, sizeBytes } = file
      try {
        const job = { path, mimeType, sizeBytes, as, output }
        const { converted, width, height, thumbnail } = await media.run(projectId, 'image', job)
        const measures = { durationSeconds: null, width, height }
        const preview = thumbnail
        if (converted === null) return { file, mimeType, measures, preview }
        return { file: await stage.adopt(output), mimeType: converted, measures, preview }
      } catch (error) {
        await rm(output, { force: true })
        // Not retried: the decoder crashed or timed out and would do so again.
        throw error instanceof JobLost ? new MediaProblem('broken', mimeType, error) : error
      }
    },
  }
}
