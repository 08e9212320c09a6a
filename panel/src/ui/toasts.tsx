import { Toast } from '@base-ui/react/toast'
import { TriangleAlert, X } from 'lucide-react'
import { useEffect } from 'react'
import { t } from '../phrases/phrases.ts'
import { showWaiting, toasts } from './notify.ts'

/** Shows the toasts in a corner, newest last. F6 moves the focus to them; Escape closes the one with the focus. */
export function Toasts() {
  // The effect of the provider, which listens, runs before.
  useEffect(showWaiting, [])
  return (
    <Toast.Provider toastManager={toasts} limit={3}>
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={t.common.notices}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts: shown } = Toast.useToastManager()
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast" swipeDirection={['right', 'down']}>
      <Toast.Content className="toast-content">
        {toast.type === 'failure' && (
          <TriangleAlert className="toast-failed" size={16} aria-hidden />
        )}
        <Toast.Title className="toast-text" render={<p />} />
        {toast.actionProps && <Toast.Action className="toast-action" />}
        <Toast.Close className="toast-close" aria-label={t.common.close}>
          <X size={14} aria-hidden />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ))
}
