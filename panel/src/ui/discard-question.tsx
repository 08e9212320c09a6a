import { t } from '../phrases/phrases.ts'
import { Dialog } from './dialog.tsx'

/** Asks whether to discard what was filled in. */
export function DiscardQuestion(props: { onDiscard: () => void; onStay: () => void }) {
  const { onDiscard, onStay } = props
  return (
    <Dialog title={t.common.discardText} onClose={onStay}>
      <div className="row">
        <button type="button" className="button danger" onClick={onDiscard}>
          {t.common.discard}
        </button>
        <button type="button" className="button" onClick={onStay} autoFocus>
          {t.common.goOn}
        </button>
      </div>
    </Dialog>
  )
}
