import { useQuery } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useEffect, useRef, useState, type RefObject } from 'react'
import type { Message } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { clockTime } from '../../ui/time.tsx'
import { BARS, hasWaveform, readWaveform } from './waveform.ts'

const SPEEDS = [1, 1.5, 2] as const
const BAR_PX = 3
const STEP_PX = 5
const HEIGHT_PX = 32
const FLAT = Array.from({ length: BARS }, () => 0)

/** Starting one recording stops the one that plays. */
let playing: HTMLAudioElement | null = null

/**
 * Plays the audio of a message: its waveform, on which a click or the arrow keys move, the time, and the speed.
 * `onError` is called if the file cannot be loaded.
 */
export function AudioPlayer(props: {
  media: NonNullable<Message['media']>
  src: string
  name: string
  onError: () => void
}) {
  const { media, src, name, onError } = props
  const audio = useRef<HTMLAudioElement>(null)
  const [isPlaying, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(media.durationSeconds ?? 0)
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>(1)
  const frame = useRef<HTMLDivElement>(null)
  const wasSeen = useWasSeen(frame)
  const { data: bars } = useQuery({
    queryKey: ['waveform', media.id],
    queryFn: ({ signal }) => readWaveform(src, signal),
    enabled: wasSeen && hasWaveform(media),
    staleTime: Infinity,
    retry: false,
  })
  function toggle() {
    const element = audio.current
    if (!element) return
    if (!element.paused) return element.pause()
    playing?.pause()
    playing = element
    // The element reports why it cannot play to `onError`.
    element.play().catch(() => setPlaying(false))
  }
  function seek(seconds: number) {
    setAt(seconds)
    if (audio.current) audio.current.currentTime = seconds
  }
  function faster() {
    const next = SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1
    setSpeed(next)
    if (audio.current) audio.current.playbackRate = next
  }
  const played = length > 0 ? at / length : 0
  return (
    <div ref={frame} className="audio-player" role="group" aria-label={name}>
      <audio
        ref={audio}
        preload="none"
        src={src}
        onError={onError}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => seek(0)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        onLoadedMetadata={({ currentTarget }) => {
          // Recordings of browsers may not say how long they are.
          if (Number.isFinite(currentTarget.duration)) setLength(currentTarget.duration)
          currentTarget.playbackRate = speed
          currentTarget.currentTime = at
        }}
      />
      <button
        type="button"
        className="button icon plain"
        aria-label={isPlaying ? t.voice.pause : t.voice.play}
        onClick={toggle}
      >
        {isPlaying ? <Pause size={20} aria-hidden /> : <Play size={20} aria-hidden />}
      </button>
      <div className="waveform">
        <Waveform bars={bars ?? FLAT} played={played} />
        <input
          type="range"
          min={0}
          max={length || 1}
          step={0.1}
          value={Math.min(at, length || 1)}
          aria-label={t.voice.position}
          aria-valuetext={`${clockTime(at)} / ${clockTime(length)}`}
          onChange={(event) => seek(Number(event.target.value))}
        />
      </div>
      <button
        type="button"
        className="audio-speed"
        aria-label={t.voice.speed(formatted(speed))}
        onClick={faster}
      >
        {formatted(speed)}×
      </button>
      <small className="quiet audio-time">{clockTime(at > 0 ? at : length)}</small>
    </div>
  )
}

/** Whether an element has been on the screen: a conversation may hold many recordings that no one scrolls to. */
function useWasSeen(element: RefObject<HTMLElement | null>): boolean {
  const [wasSeen, setWasSeen] = useState(false)
  useEffect(() => {
    if (!element.current || wasSeen) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setWasSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, wasSeen])
  return wasSeen
}

/** Loudness as bars; `played` of them, from 0 to 1, are in the color of progress. */
function Waveform({ bars, played }: { bars: number[]; played: number }) {
  return (
    <svg
      viewBox={`0 0 ${bars.length * STEP_PX} ${HEIGHT_PX}`}
      preserveAspectRatio="none"
      aria-hidden
    >
      {bars.map((bar, index) => {
        const height = Math.max(BAR_PX, bar * HEIGHT_PX)
        return (
          <rect
            // A bar has no identity but its place.
            key={index}
            data-played={(index + 0.5) / bars.length <= played}
            x={index * STEP_PX}
            y={(HEIGHT_PX - height) / 2}
            width={BAR_PX}
            height={height}
            rx={BAR_PX / 2}
          />
        )
      })}
    </svg>
  )
}
