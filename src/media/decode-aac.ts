import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Frame } from '@libav.js/variant-obsolete'
import { MediaProblem } from './media-problem.ts'

/** A longer recording would take hundreds of megabytes, because the decoder decodes it whole. */
const MAX_SECONDS = 300
const BLOCK_SAMPLES = 65_536
/** FFmpeg's number of the sample format: 32-bit floating point, interleaved. */
const FLOATS = 3
const MONO = 4
const MAX_SAMPLE_RATE = 96_000
/** Process events for which the decoder adds listeners that it never removes; they would retain its memory. */
const FAULTS = ['uncaughtException', 'unhandledRejection'] as const

/** Decodes AAC, in MP4 or alone, to one channel. Runs in the media process only. Throws MediaProblem. */
export async function* decodeAac(path: string): AsyncGenerator<{ frames: Frame[]; last: boolean }> {
  const require = createRequire(import.meta.url)
  // In Node.js, the decoder expects these CommonJS globals.
  Object.assign(globalThis, { require, __dirname: '' })
  const { getAudioDecoder } = await import('audio-file-decoder')
  const program = await readFile(require.resolve('audio-file-decoder/decode-audio.wasm'))
  const bytes = new Uint8Array(await readFile(path)).buffer
  const address = `data:application/wasm;base64,${program.toString('base64')}`
  const before = FAULTS.map((name) => new Set(process.listeners(name as 'uncaughtException')))
  let decoder: Awaited<ReturnType<typeof getAudioDecoder>> | null = null
  try {
    decoder = await getAudioDecoder(address, bytes)
    const { sampleRate } = decoder
    if (sampleRate > MAX_SAMPLE_RATE) throw new MediaProblem('voice', `${sampleRate} Hz`)
    const samples = decoder.decodeAudioData(0, MAX_SECONDS)
    // A file without an index has no known duration.
    if (decoder.duration > MAX_SECONDS || samples.length >= MAX_SECONDS * sampleRate)
      throw new MediaProblem('too_large', `${MAX_SECONDS / 60} min (AAC)`)
    for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
      const data = samples.subarray(at, at + BLOCK_SAMPLES)
      const frame: Frame = {
        data,
        libavjs_frame_type: 1,
        format: FLOATS,
        sample_rate: sampleRate,
        channels: 1,
        channel_layout: MONO,
        nb_samples: data.length,
        pts: at,
        ptshi: 0,
      } as unknown as Frame
      yield { frames: [frame], last: at + BLOCK_SAMPLES >= samples.length }
    }
  } finally {
    decoder?.dispose()
    for (const [index, name] of FAULTS.entries())
      for (const listener of process.listeners(name as 'uncaughtException'))
        if (!before[index]?.has(listener)) process.off(name, listener)
  }
}
