import { t } from '../phrases/phrases.ts'
import { CopyButton } from './controls.tsx'
import { Dialog } from './dialog.tsx'

/** A secret, this once: it leaves by its own button alone, and then it is nowhere in the page. */
export function SecretOnce(props: {
  title: string
  text: string
  secret: string
  kept: string
  example?: string
  onClose: () => void
}) {
  const { title, text, secret, kept, example, onClose } = props
  return (
    <Dialog title={title} onClose={onClose} keep>
      <p>{text}</p>
      <pre tabIndex={0}>{secret}</pre>
      {example && <pre tabIndex={0}>{example}</pre>}
      <div className="linha">
        <button type="button" className="botao principal" onClick={onClose}>
          {kept}
        </button>
        <CopyButton text={secret} label={t.common.copy} />
      </div>
    </Dialog>
  )
}
