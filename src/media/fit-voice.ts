import { rm } from 'node:fs/promises'
import { SemaphoreTimeout } from '../kernel/fair-semaphore.ts'
import { UNMEASURED, type Measures } from './inspect-file.ts'
import { MediaProblem } from './media-problem.ts'
import type { MediaProcess } from './media-process.ts'
import type { Stage } from './stage-file.ts'
import type { StagedFile } from './store.port.ts'

/** The recordings that can become a voice note, as detected from their bytes. */
export const SPEAKABLE =
  /^(audio\/(ogg|opus|mpeg|mp4|x-m4a|aac|wav|x-wav|flac|x-flac|webm)|video\/(mp4|webm))(;.*)?$/
/** The type of a converted voice note. */
export const VOICE_TYPE = 'audio/ogg; codecs=opus'
/** What phones play as a voice note, if its codec is Opus. */
export const PLAYABLE = /^audio\/(ogg|opus)/

/** A voice note that phones can play. */
export type FittedVoice = {
  file: StagedFile
  mimeType: string
  measures: Measures
  preview: string
}
/** Converts recordings to voice notes; see `createVoiceFitter`. */
export type VoiceFitter = ReturnType<typeof createVoiceFitter>

/** Creates the converter of recordings to voice notes. Opus in Ogg is kept as it is. */
export function createVoiceFitter(stage: Stage, media: MediaProcess) {
  /** Returns codec and duration. Throws MediaProblem if the file is not a recording. */
  async function read(projectId: string, { path }: StagedFile) {
    try {
      return await media.run(projectId, 'recording', { path })
    } catch (error) {
      if (error instanceof MediaProblem || error instanceof SemaphoreTimeout) throw error
      throw new MediaProblem('voice', '', error)
    }
  }

  return {
    /** Returns the recording as a voice note. Throws MediaProblem if it cannot be decoded or is too long. */
    async fit(projectId: string, file: StagedFile, mimeType: string): Promise<FittedVoice> {
      const { codec, duration } = await read(projectId, file)
      const playable = PLAYABLE.test(mimeType) && /opus/i.test(codec ?? '')
      const output = stage.name()
      try {
        const job = { path: file.path, codec, playable, output }
        const { durationSeconds, waveform } = await media.run(projectId, 'voice', job)
        const measured = playable && duration ? Math.round(duration * 100) / 100 : durationSeconds
        const measures = { ...UNMEASURED, durationSeconds: measured }
        const kept = playable ? file : await stage.adopt(output)
        const type = playable ? mimeType : VOICE_TYPE
        return { file: kept, mimeType: type, measures, preview: waveform }
      } catch (error) {
        await rm(output, { force: true })
        throw error
      }
    },
  }
}
