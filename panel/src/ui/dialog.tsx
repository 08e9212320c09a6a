import { useEffect, useId, useRef, type ReactNode } from 'react'

/** Modal dialog based on the native `<dialog>`, which traps the focus; on close the focus returns to its opener. */
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
  useEffect(() => {
    const opener = document.activeElement
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    // Browsers do not restore the focus when an open dialog is removed from the page.
    return () => {
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
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
        if (!keep) onClose()
      }}
      // Some browsers close it on a second Escape regardless: reopen it.
      onClose={() => (keep ? ref.current?.showModal() : onClose())}
    >
      <div className="pilha-menor">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
