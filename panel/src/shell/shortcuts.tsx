import { t } from '../phrases/phrases.ts'
import { Dialog } from '../ui/dialog.tsx'

const KEYS = [
  ['Ctrl K', 'palette'],
  ['?', 'sheet'],
  ['j  k  Alt ↑ ↓', 'chats'],
  ['r', 'reply'],
  ['Enter', 'send'],
  ['Shift Enter', 'line'],
  ['← →', 'tabs'],
  ['Esc', 'close'],
] as const

/** List of the keyboard shortcuts, opened by `?`. */
export function Shortcuts({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t.shortcuts.title} onClose={onClose}>
      <dl className="facts">
        {KEYS.map(([keys, what]) => (
          <div key={what}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{t.shortcuts[what]}</dd>
          </div>
        ))}
      </dl>
      <div>
        <button type="button" className="button" onClick={onClose}>
          {t.common.close}
        </button>
      </div>
    </Dialog>
  )
}
