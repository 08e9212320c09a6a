import { useEffect, useRef, useState } from 'react'
import type { Envelope } from '../live.ts'
import { usePlace } from './page.tsx'

const MOST = 50

/** The events that were heard since this was shown and that are wanted, the newest first. */
export function useHeard(wanted: (envelope: Envelope) => boolean): Envelope[] {
  const { live } = usePlace()
  const [heard, setHeard] = useState<Envelope[]>([])
  const judge = useRef(wanted)
  judge.current = wanted
  useEffect(
    () =>
      live?.listen((envelope) => {
        if (judge.current(envelope)) setHeard((known) => [envelope, ...known].slice(0, MOST))
      }),
    [live],
  )
  return heard
}
