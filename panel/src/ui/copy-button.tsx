import { useState } from 'react'
import { t } from '../phrases/phrases.ts'

/** Button that copies a text and then says so. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const [of, setCopied] = useState<string | null>(null)
  const copied = of === text
  return (
    <button
      type="button"
      className="botao"
      onClick={() => {
        void navigator.clipboard.writeText(text).then(() => setCopied(text))
      }}
    >
      <span aria-live="polite">{copied ? t.common.copied : (label ?? t.common.copy)}</span>
    </button>
  )
}
