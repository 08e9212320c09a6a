import { useEffect, useState } from 'react'
import { t } from '../phrases/phrases.ts'
import { ActButton } from './form.tsx'

const AGAIN_SECONDS = 60

/** A new link for who has not confirmed his address, no sooner than a minute after the last one. */
export function AgainButton({ act }: { act: () => Promise<unknown> }) {
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])
  return (
    <div className="linha">
      <ActButton
        label={wait > 0 ? t.auth.confirmWait(wait) : t.auth.confirmAgain}
        disabled={wait > 0}
        act={async () => {
          await act()
          setWait(AGAIN_SECONDS)
        }}
      />
      <span aria-live="polite">{wait > 0 && t.auth.confirmSent}</span>
    </div>
  )
}
