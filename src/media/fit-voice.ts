import { rm } from 'node:fs/promises'
import { SemaphoreTimeout } from '../kernel/fair-semaphore.ts'
import { VOICE_TYPE } from '../model/media-fields.ts'
import { UNMEASURED, type Measures } from './inspect-file.ts'
import { isMachineFault, MediaProblem } from './media-problem.ts'
import { MAX_VOICE_SECONDS, type VoiceJob } from './voice-note.ts'
import { JobLost, type MediaProcess } from './media-process.ts'
import type { Stage } from './stage-file.ts'
import type { StagedFile } from './store.port.ts'

/** The recordings that can become a voice note, as detected from their bytes. */
export const SPEAKABLE =
  /^(audio\/(ogg|opus|mpeg|mp4|x-m4a|aac|wav|x-wav|flac|x-flac|webm)|video\/(mp4|webm))(;.*)?$/
/** The containers that phones play as a voice note if the codec is Opus. */
export const PLAYABLE = /^audio\/(ogg|opus)/

/** Stored for a voice note whose waveform is unknown, so that it is not read again. */
const NO_WAVEFORM = ''

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
      if (error instanceof SemaphoreTimeout || isMachineFault(error)) throw error
      throw new MediaProblem('voice', '', error)
    }
  }

  async function readWaveform(projectId: string, job: VoiceJob): Promise<string> {
    try {
      return (await media.run(projectId, 'voice', job)).waveform
    } catch (error) {
      if (error instanceof SemaphoreTimeout) throw error
      return NO_WAVEFORM
    }
  }

  return {
    /** Returns the recording as a voice note. Throws MediaProblem if it cannot be decoded or is too long. */
    async fit(projectId: string, file: StagedFile, mimeType: string): Promise<FittedVoice> {
      const { codec, duration } = await read(projectId, file)
      const playable = PLAYABLE.test(mimeType) && /opus/i.test(codec ?? '')
      const output = stage.name()
      const job = { path: file.path, codec, playable, output }
      if (playable) {
        const durationSeconds = duration ? Math.round(duration * 100) / 100 : null
        const measures = { ...UNMEASURED, durationSeconds }
        const short = (duration ?? 0) <= MAX_VOICE_SECONDS
        // Phones also play it without a waveform.
        const preview = short ? await readWaveform(projectId, job) : NO_WAVEFORM
        return { file, mimeType, measures, preview }
      }
      if ((duration ?? 0) > MAX_VOICE_SECONDS)
        throw new MediaProblem('too_large', `${MAX_VOICE_SECONDS / 60} min`)
      try {
        const { durationSeconds, waveform } = await media.run(projectId, 'voice', job)
        const measures = { ...UNMEASURED, durationSeconds }
        const kept = await stage.adopt(output)
        return { file: kept, mimeType: VOICE_TYPE, measures, preview: waveform }
      } catch (error) {
        await rm(output, { force: true })
        // Not retried: the decoder crashed or timed out and would do so again.
        throw error instanceof JobLost ? new MediaProblem('voice', '', error) : error
      }
    },
  }
}
