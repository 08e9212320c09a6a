/** Number of bars that a waveform is drawn with. */
export const BARS = 48
/** Samples per second to decode with: enough for the loudness, and a small part of the memory. */
const SAMPLE_RATE = 8000
/** Larger files are not downloaded before they are played. */
const MAX_BYTES = 2 * 1024 * 1024
/** Browsers decode all of a recording at once, at its own rate: a minute of it takes about 11 MB for a moment. */
const MAX_SECONDS = 5 * 60
const TIMEOUT_MS = 30_000

/** Whether a waveform is read for a file: its size and duration are known and small. */
export const hasWaveform = (file: {
  sizeBytes: number | null
  durationSeconds: number | null
}): boolean =>
  (file.sizeBytes ?? Infinity) <= MAX_BYTES && (file.durationSeconds ?? Infinity) <= MAX_SECONDS

/** The loudness of `bars` equal parts of a recording, from 0 to 1, where 1 is the loudest part; all 0 in silence. */
export function loudnessOf(samples: ArrayLike<number>, bars: number = BARS): number[] {
  const parts = Array.from({ length: bars }, (_, bar) => {
    const from = Math.floor((bar * samples.length) / bars)
    const to = Math.floor(((bar + 1) * samples.length) / bars)
    let sum = 0
    for (let index = from; index < to; index++) sum += (samples[index] ?? 0) ** 2
    return to > from ? Math.sqrt(sum / (to - from)) : 0
  })
  const loudest = Math.max(...parts)
  return parts.map((part) => (loudest > 0 ? part / loudest : 0))
}

/** Downloads a recording and returns its loudness; null if there is none or the browser cannot decode it. */
export async function readWaveform(src: string, signal: AbortSignal): Promise<number[] | null> {
  const deadline = AbortSignal.timeout(TIMEOUT_MS)
  const answer = await fetch(src, { signal: AbortSignal.any([signal, deadline]) })
  if (!answer.ok) return null
  const bytes = await answer.arrayBuffer()
  try {
    const audio = await new OfflineAudioContext(1, 1, SAMPLE_RATE).decodeAudioData(bytes)
    return loudnessOf(audio.getChannelData(0))
  } catch {
    // Not every browser decodes what WhatsApp records; the player works without bars.
    return null
  }
}
