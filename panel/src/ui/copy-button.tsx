import { useRef, useState } from 'react'
import { t } from '../phrases/phrases.ts'

/**
 * Copies a text, also on plain http, where browsers offer no clipboard API: there a hidden field below `near` is
 * selected and copied. Resolves to false if the browser refused.
 */
export async function copyText(text: string, near: HTMLElement = document.body): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined
  try {
    if (clipboard) {
      await clipboard.writeText(text)
      return true
    }
  } catch {
    // Refused, e.g. without permission: the older way may still work.
  }
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'visually-hidden'
  // Inside an open dialog nothing else can be focused.
  near.append(field)
  field.select()
  const copied = document.execCommand('copy')
  field.remove()
  return copied
}

/** Button that copies a text and then says so, or that the browser does not allow it. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const frame = useRef<HTMLSpanElement>(null)
  const [done, setDone] = useState<{ text: string; copied: boolean } | null>(null)
  const said = done?.text === text ? (done.copied ? t.common.copied : t.common.notCopied) : null
  return (
    <span ref={frame}>
      <button
        type="button"
        className="button"
        onClick={({ currentTarget }) => {
          void copyText(text, frame.current ?? document.body).then((copied) => {
            setDone({ text, copied })
            currentTarget.focus()
          })
        }}
      >
        <span aria-live="polite">{said ?? label ?? t.common.copy}</span>
      </button>
    </span>
  )
}
