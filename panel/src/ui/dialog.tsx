import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { hasInput } from './has-input.ts'

/** Where the focus returns from each dialog: its opener, then that of the dialog it was opened in or replaces. */
const openersOf = new WeakMap<Element, Element[]>()
/** The openers of a dialog that is removed in the same step as another one opens. */
let replaced: Element[] = []

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
  /** Escape and a click beside it close it at once: nothing typed in it is worth a question. It stays at its place. */
  isLight?: boolean
}) {
  const { title, onClose, children, keep = false, isLight = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [asking, setAsking] = useState(false)
  const openers = useRef<Element[]>([])
  // Opens before the page is painted: a key or click in between would go to the page behind it.
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    const below = [...document.querySelectorAll('dialog[open]')].at(-1)
    const inherited = below ? openersOf.get(below) : replaced
    const { activeElement, body } = document
    const opener = activeElement === body ? null : activeElement
    openers.current = [...(opener ? [opener] : []), ...(inherited ?? [])]
    openersOf.set(dialog, openers.current)
    if (!dialog.open) dialog.showModal()
    return () => {
      replaced = openers.current
    }
  }, [])
  // Browsers do not restore the focus when an open dialog is removed from the page. Only once it is removed can
  // anything outside it have the focus.
  useEffect(
    () => () => {
      replaced = []
      const opener = openers.current.find(({ isConnected }) => isConnected)
      if (opener instanceof HTMLElement) opener.focus()
    },
    [],
  )
  return (
    <dialog
      ref={ref}
      aria-labelledby={id}
      data-light={isLight}
      onKeyDown={(event) => {
        const { key, target } = event
        // Not those of a dialog within this one.
        const isOwn = target instanceof Element && target.closest('dialog') === ref.current
        if (key !== 'Escape' || !isOwn || !(keep || isLight)) return
        event.preventDefault()
        if (isLight) onClose()
      }}
      onClick={({ target }) => {
        // Its content covers it, so only its backdrop is left.
        if (isLight && target === ref.current) onClose()
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
