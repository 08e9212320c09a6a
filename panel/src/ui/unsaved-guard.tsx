import { useBlocker } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
import { Dialog } from './dialog.tsx'

/** Asks before a click or key leaves the page, or the window is closed, while `isUnsaved`. */
export function UnsavedGuard({ isUnsaved }: { isUnsaved: () => boolean }) {
  const blocker = useBlocker({
    // Filters and drawers of the same page stay on it.
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isUnsaved(),
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  const { proceed, reset } = blocker
  return (
    <Dialog title={t.common.discardText} onClose={reset}>
      <div className="row">
        <button type="button" className="button danger" onClick={proceed}>
          {t.common.discard}
        </button>
        <button type="button" className="button" onClick={reset} autoFocus>
          {t.common.goOn}
        </button>
      </div>
    </Dialog>
  )
}
