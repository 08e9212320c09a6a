import { useEffect, useState } from 'react'
import { t } from '../../phrases/phrases.ts'
import { ActionButton } from '../../ui/form.tsx'

const RESEND_COOLDOWN_SECONDS = 60

/** Button that resends a confirmation link, at most once a minute. */
export function ResendButton({ act }: { act: () => Promise<unknown> }) {
  const [wait, setWait] = useState(0)
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1000)
    return () => clearTimeout(timer)
  }, [wait])
  return (
    <div className="row">
      <ActionButton
        label={wait > 0 ? t.auth.confirmWait(wait) : t.auth.confirmAgain}
        disabled={wait > 0}
        act={async () => {
          await act()
          setWait(RESEND_COOLDOWN_SECONDS)
        }}
      />
      <span aria-live="polite">{wait > 0 && t.auth.confirmSent}</span>
    </div>
  )
}
