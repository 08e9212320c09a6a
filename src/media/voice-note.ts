import { readFile, writeFile } from 'node:fs/promises'
import type { Frame, LibAV } from '@libav.js/variant-obsolete'
import { decodeAac } from './decode-aac.ts'
import { isMachineFault, MediaProblem } from './media-problem.ts'

/** What a voice note needs: Opus with one channel, in Ogg. */
const SAMPLE_RATE = 48_000
const BITS_PER_SECOND = 32_000
/** Bytes read from the file at a time: about two seconds of MP3. */
const STEP_BYTES = 64 * 1024
/** Maximum bytes decoded at a time, because a small packet of silence may decode to megabytes. */
const STEP_PACKETS = 16
/** A longer recording, in seconds, is not converted: it would occupy the media process for too long. */
export const MAX_VOICE_SECONDS = 900
/** Phones draw a voice note with this many bars, from 0 to 100. */
const BARS = 64
const BLOCK_SAMPLES = 960

const MONO = 4
const STEREO = 3

/**
 * `output` receives the voice note, unless `playable`: the file is Opus in Ogg already and only its loudness is read.
 */
export type VoiceJob = { path: string; codec: string | null; playable: boolean; output: string }
/** The duration in seconds, and the bars that phones draw (one byte each, base64). */
export type VoiceNote = { durationSeconds: number; waveform: string }

/** Converts a recording to a voice note, or reads the loudness of one. Throws MediaProblem if that is impossible. */
export async function makeVoiceNote(job: VoiceJob): Promise<VoiceNote> {
  try {
    const { default: factory } = await import('@libav.js/variant-obsolete')
    const av = await factory.LibAV({ noworker: true, nothreads: true })
    await av.av_log_set_level(av.AV_LOG_QUIET)
    try {
      return await convert(av, job)
    } finally {
      av.terminate()
    }
  } catch (error) {
    if (error instanceof MediaProblem || isMachineFault(error)) throw error
    throw new MediaProblem('voice', '', error)
  }
}

async function convert(av: LibAV, { path, codec, playable, output }: VoiceJob): Promise<VoiceNote> {
  const decoded = /aac/i.test(codec ?? '') ? decodeAac(path) : decode(av, path)
  const encoder = playable ? null : await openEncoder(av)
  const loudness: number[] = []
  let filter: Filter | null = null
  let samples = 0
  for await (const { frames, last } of decoded) {
    for (const frame of frames) frame.channel_layout ||= frame.channels === 1 ? MONO : STEREO
    if (!filter && frames[0]) filter = await openFilter(av, frames[0])
    const ready = filter ? await filter(frames, last) : []
    for (const frame of ready) {
      const block = frame.data as Float32Array
      loudness.push(block.reduce((sum, sample) => sum + Math.abs(sample), 0) / block.length)
      frame.pts = samples
      frame.ptshi = 0
      samples += block.length
    }
    if (samples > MAX_VOICE_SECONDS * SAMPLE_RATE)
      throw new MediaProblem('too_large', `${MAX_VOICE_SECONDS / 60} min`)
    await encoder?.write(ready, last)
  }
  if (samples === 0) throw new MediaProblem('voice')
  if (encoder) await writeFile(output, await encoder.finish())
  return {
    durationSeconds: Math.round((samples / SAMPLE_RATE) * 100) / 100,
    waveform: toBars(loudness).toString('base64'),
  }
}

/** Decoded audio; `last` is set once, with the last frames or none. */
type Decoded = { frames: Frame[]; last: boolean }

/** Decodes MP3, FLAC, PCM, Vorbis or Opus. */
async function* decode(av: LibAV, path: string): AsyncGenerator<Decoded> {
  await av.writeFile('input', await readFile(path))
  const [format, streams] = await av.ff_init_demuxer_file('input')
  const stream = streams.find(({ codec_type: type }) => type === av.AVMEDIA_TYPE_AUDIO)
  if (!stream) throw new MediaProblem('voice')
  const [, context, packet, frame] = await av.ff_init_decoder(stream.codec_id, stream.codecpar)
  for (;;) {
    const [result, packets] = await av.ff_read_frame_multi(format, packet, { limit: STEP_BYTES })
    // No data left: the end of the file, or of its readable part.
    const last = result !== -av.EAGAIN && result !== 0
    const own = packets[stream.index] ?? []
    for (let from = 0; from === 0 || from < own.length; from += STEP_PACKETS) {
      const fin = last && from + STEP_PACKETS >= own.length
      const part = own.slice(from, from + STEP_PACKETS)
      const options = { fin, ignoreErrors: true }
      yield { frames: await av.ff_decode_multi(context, packet, frame, part, options), last: fin }
    }
    if (last) return
  }
}

type Filter = (frames: Frame[], last: boolean) => Promise<Frame[]>

/** Converts to one channel at the encoder's sample rate, in blocks of the encoder's size. */
async function openFilter(av: LibAV, first: Frame): Promise<Filter> {
  const [, source, sink] = await av.ff_init_filter_graph(
    `aresample=${SAMPLE_RATE},aformat=sample_fmts=flt:channel_layouts=mono`,
    {
      sample_rate: first.sample_rate ?? SAMPLE_RATE,
      sample_fmt: first.format,
      channel_layout: first.channel_layout ?? MONO,
    },
    {
      sample_rate: SAMPLE_RATE,
      sample_fmt: av.AV_SAMPLE_FMT_FLT,
      channel_layout: MONO,
      frame_size: BLOCK_SAMPLES,
    },
  )
  const frame = await av.av_frame_alloc()
  return (frames, last) => av.ff_filter_multi(source, sink, frame, frames, last)
}

async function openEncoder(av: LibAV) {
  const [, context, frame, packet] = await av.ff_init_encoder('libopus', {
    ctx: {
      bit_rate: BITS_PER_SECOND,
      sample_fmt: av.AV_SAMPLE_FMT_FLT,
      sample_rate: SAMPLE_RATE,
      channel_layout: MONO,
      channels: 1,
    },
    options: { application: 'voip' },
    time_base: [1, SAMPLE_RATE],
  })
  const parameters = await av.avcodec_parameters_alloc()
  await av.avcodec_parameters_from_context(parameters, context)
  const [muxer, , file] = await av.ff_init_muxer(
    { filename: 'output', format_name: 'ogg', open: true, codecpars: true },
    [[parameters, 1, SAMPLE_RATE]],
  )
  await av.avformat_write_header(muxer, 0)
  return {
    async write(frames: Frame[], last: boolean): Promise<void> {
      const packets = await av.ff_encode_multi(context, frame, packet, frames, last)
      await av.ff_write_multi(muxer, packet, packets)
    },
    async finish(): Promise<Uint8Array> {
      await av.av_write_trailer(muxer)
      await av.ff_free_muxer(muxer, file)
      return av.readFile('output')
    },
  }
}

/** Scales the loudness of all blocks to the bars that phones draw, the loudest at full height. */
function toBars(loudness: number[]): Buffer {
  const bars = Array.from({ length: BARS }, (_, bar) => {
    const from = Math.floor((bar * loudness.length) / BARS)
    const to = Math.max(from + 1, Math.floor(((bar + 1) * loudness.length) / BARS))
    const part = loudness.slice(from, to)
    return part.reduce((sum, value) => sum + value, 0) / Math.max(1, part.length)
  })
  const loudest = Math.max(...bars)
  return Buffer.from(bars.map((bar) => (loudest > 0 ? Math.round((bar / loudest) * 100) : 0)))
}
