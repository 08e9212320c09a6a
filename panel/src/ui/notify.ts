import { Toast } from '@base-ui/react/toast'

/** The toasts of the panel; `Toasts` shows them. */
export const toasts = Toast.createToastManager()

/** How long a toast stays, in milliseconds; longer with an action or a failure, which take time to read. */
const SHOWN_MS = 4000
const LONG_MS = 8000

/** Toasts from before their list is loaded, which comes after the page. */
const waiting: (() => void)[] = []
let isListLoaded = false

/** Shows the toasts that were waiting for their list. */
export function showWaiting(): void {
  isListLoaded = true
  for (const showNow of waiting.splice(0)) showNow()
}

type Action = { label: string; act: () => void }

/** Says in a toast that something is done; `action` offers to undo it, or to go there. */
export const notify = (text: string, action?: Action): void => show(text, { action })

/** Says in a toast why something was not done. */
export const notifyFailure = (text: string): void => show(text, { isFailure: true })

function show(text: string, options: { action?: Action | undefined; isFailure?: boolean }): void {
  if (!isListLoaded) return void waiting.push(() => show(text, options))
  const { action, isFailure = false } = options
  const id = toasts.add({
    title: text,
    timeout: action || isFailure ? LONG_MS : SHOWN_MS,
    ...(isFailure ? { type: 'failure' } : {}),
    ...(action
      ? {
          actionProps: {
            children: action.label,
            onClick() {
              toasts.close(id)
              action.act()
            },
          },
        }
      : {}),
  })
}
