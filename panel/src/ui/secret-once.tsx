import { t } from '../phrases/phrases.ts'
import { Snippets } from './code.tsx'
import { CopyButton } from './copy-button.tsx'
import { Dialog } from './dialog.tsx'
import { UnsavedGuard } from './unsaved-guard.tsx'

/**
 * Shows a secret once: only its own button closes the dialog, and then the secret is gone from the page. Leaving the page
 * is asked about.
 */
export function SecretOnce(props: {
  title: string
  text: string
  secret: string
  confirmLabel: string
  /** Examples of its use, keyed by file name or language. */
  examples?: Record<string, string>
  onClose: () => void
}) {
  const { title, text, secret, confirmLabel: kept, examples, onClose } = props
  return (
    <Dialog title={title} onClose={onClose} keep>
      <UnsavedGuard isUnsaved={() => true} />
      <p>{text}</p>
      <pre tabIndex={0} data-secret>
        {secret}
      </pre>
      <div className="row">
        <CopyButton text={secret} label={t.common.copy} />
        <button type="button" className="button primary" onClick={onClose}>
          {kept}
        </button>
      </div>
      {examples && <Snippets texts={examples} />}
    </Dialog>
  )
}
