import { useState } from 'react'
import { t } from '../phrases/phrases.ts'

/** Copies a text, and says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false)
  return (
    <button
      type="button"
      className="botao"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(true))
      }}
    >
      <span aria-live="polite">{copied ? t.common.copied : (label ?? t.common.copy)}</span>
    </button>
  )
}
