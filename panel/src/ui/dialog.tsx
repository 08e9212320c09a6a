import { useEffect, useId, useRef, type ReactNode } from 'react'

/** A modal dialog: the browser's own, which keeps the focus within and gives it back. */
export function Dialog(props: {
  title: string
  onClose: () => void
  children: ReactNode
  /** One that holds what is shown once closes by its own button alone. */
  keep?: boolean
}) {
  const { title, onClose, children, keep = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const opener = document.activeElement
    const dialog = ref.current
    if (dialog && !dialog.open) dialog.showModal()
    // A dialog that is taken out of the page gives the focus to nobody.
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
      // It closes when the page says so: closed before, it would stand there shut for whoever opens it at once again.
      onCancel={(event) => {
        event.preventDefault()
        if (!keep) onClose()
      }}
      // A browser that closes it all the same, as some do when asked twice, shows it again.
      onClose={() => (keep ? ref.current?.showModal() : onClose())}
    >
      <div className="pilha-menor">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
