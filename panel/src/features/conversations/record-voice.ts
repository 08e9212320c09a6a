/** A recording in progress. */
export type Recording = {
  /** Ends the recording; resolves with the voice note. */
  finish(): Promise<File>
  /** Ends the recording and forgets it. */
  cancel(): void
}

/** What browsers record, best first: Firefox writes what WhatsApp takes, the others another container. */
const FORMATS = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']

/** Starts to record the microphone. Rejects with the browser's error if there is none or the user refuses it. */
export async function startRecording(): Promise<Recording> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
  const mimeType = FORMATS.find((format) => MediaRecorder.isTypeSupported(format))
  const recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {})
  const parts: Blob[] = []
  recorder.addEventListener('dataavailable', ({ data }) => parts.push(data))
  const ended = new Promise<void>((resolve, reject) => {
    recorder.addEventListener('stop', () => resolve())
    recorder.addEventListener('error', () => reject(new Error('the browser stopped the recording')))
  })
  // Cancelled recordings have no one waiting for them.
  ended.catch(() => {})
  const stop = () => {
    if (recorder.state !== 'inactive') recorder.stop()
    for (const track of stream.getTracks()) track.stop()
  }
  recorder.start()
  return {
    cancel: stop,
    async finish() {
      stop()
      await ended
      return toVoiceNote(new Blob(parts, { type: recorder.mimeType }))
    },
  }
}

/** Puts a recording into the format of voice notes, Opus in Ogg. Sound that is Opus already is only repackaged. */
async function toVoiceNote(recorded: Blob): Promise<File> {
  const name = 'audio.ogg'
  const type = 'audio/ogg; codecs=opus'
  if (recorded.type.startsWith('audio/ogg')) return new File([recorded], name, { type })
  const { BlobSource, BufferTarget, Conversion, Input, MP4, OggOutputFormat, Output, WEBM } =
    await import('mediabunny')
  const input = new Input({ source: new BlobSource(recorded), formats: [WEBM, MP4] })
  const output = new Output({ format: new OggOutputFormat(), target: new BufferTarget() })
  const conversion = await Conversion.init({ input, output, audio: { codec: 'opus' } })
  await conversion.execute()
  const { buffer } = output.target
  if (!buffer) throw new Error('the recording could not be converted')
  return new File([buffer], name, { type })
}
