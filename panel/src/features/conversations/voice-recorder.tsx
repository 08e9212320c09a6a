import { Check, Mic, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { t } from '../../phrases/phrases.ts'
import { clockTime } from '../../ui/time.tsx'
import { startRecording, type Recording } from './record-voice.ts'
import { IconButton } from '../../ui/icon-button.tsx'

const MAX_SECONDS = 15 * 60

/**
 * Records a voice note: a button with a microphone, and while recording the time with buttons to discard and to send.
 * `onRecording` reports when a recording starts and ends, since its controls replace the reply field.
 */
export function VoiceRecorder(props: {
  onRecording: (recording: boolean) => void
  onDone: (note: File) => void
  onError: (error: unknown) => void
}) {
  const { onRecording, onDone, onError } = props
  const [recording, setRecording] = useState<Recording | null>(null)
  const [seconds, setSeconds] = useState(0)
  const running = useRef<Recording | null>(null)
  const starting = useRef(false)
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => {
      isGone.current = true
      if (!running.current) return
      running.current.cancel()
      onRecording(false)
    }
  }, [])
  useEffect(() => {
    if (!recording) return
    const started = Date.now()
    const timer = window.setInterval(
      () => setSeconds(Math.floor((Date.now() - started) / 1000)),
      250,
    )
    return () => window.clearInterval(timer)
  }, [recording])
  function set(next: Recording | null) {
    running.current = next
    setRecording(next)
    setSeconds(0)
    onRecording(next !== null)
  }
  async function start() {
    if (starting.current) return
    starting.current = true
    try {
      const started = await startRecording()
      // The user may have left the conversation while the browser asked for permission.
      if (isGone.current) started.cancel()
      else set(started)
    } catch {
      onError(new Error(t.voice.noMicrophone))
    } finally {
      starting.current = false
    }
  }
  async function finish() {
    const done = running.current
    if (!done) return
    set(null)
    try {
      onDone(await done.finish())
    } catch (error) {
      onError(error)
    }
  }
  useEffect(() => {
    if (seconds >= MAX_SECONDS) void finish()
  })
  if (!recording)
    return <IconButton icon={Mic} size={20} label={t.voice.record} onClick={() => void start()} />
  return (
    <div className="voice-line">
      <IconButton
        icon={Trash2}
        size={20}
        label={t.voice.discard}
        onClick={() => {
          running.current?.cancel()
          set(null)
        }}
      />
      <span className="voice-time" role="timer">
        {clockTime(seconds)}
      </span>
      <span className="quiet truncate">{t.voice.recording}</span>
      <button
        type="button"
        className="button primary reply-send"
        title={t.voice.send}
        aria-label={t.voice.send}
        onClick={() => void finish()}
      >
        <Check size={20} aria-hidden />
      </button>
    </div>
  )
}
