import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'

/** Whether the user has typed or chosen a file in a form of the dialog. */
const hasInput = (dialog: HTMLDialogElement | null): boolean =>
  [...(dialog?.querySelectorAll<HTMLInputElement>('input, textarea') ?? [])].some(
    ({ value, defaultValue, type, files }) =>
      type === 'file' ? (files?.length ?? 0) > 0 : value !== defaultValue,
  )

/**
 * Modal dialog based on the native `<dialog>`, which traps the focus; on close the focus returns to its opener. Escape
 * asks before it discards what the user has typed; a second Escape discards it.
 */
export function Dialog(props: {
  title: string
  onClose: () => void
  children: ReactNode
  /** Ignore Escape, so that only a button closes it: for content that is shown once. */
  keep?: boolean
}) {
  const { title, onClose, children, keep = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [asking, setAsking] = useState(false)
  const openerRef = useRef<Element | null>(null)
  // Opens before the page is painted: a key or click in between would go to the page behind it.
  useLayoutEffect(() => {
    openerRef.current = document.activeElement
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
  }, [])
  // Browsers do not restore the focus when an open dialog is removed from the page. Only once it is removed can
  // anything outside it have the focus.
  useEffect(
    () => () => {
      const opener = openerRef.current
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    },
    [],
  )
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (keep && event.key === 'Escape') event.preventDefault()
      }}
      // The page closes it by unmounting. Closed natively, it would stay closed if the page reopens it at once.
      onCancel={(event) => {
        event.preventDefault()
        if (keep) return
        if (!asking && hasInput(ref.current)) setAsking(true)
        else onClose()
      }}
      // Some browsers close it on a second Escape regardless: reopen it.
      onClose={() => (keep ? ref.current?.showModal() : onClose())}
    >
      <div className="stack-small">
        <h2 id={id}>{title}</h2>
        {children}
        {asking && (
          <div className="stale" role="alert">
            <span>{t.common.discardText}</span>
            <button type="button" className="button danger" onClick={onClose}>
              {t.common.discard}
            </button>
            <button type="button" className="button" onClick={() => setAsking(false)} autoFocus>
              {t.common.goOn}
            </button>
          </div>
        )}
      </div>
    </dialog>
  )
}
