import { Toast } from '@base-ui/react/toast'

/** The toasts of the panel; `Toasts` shows them. */
export const toasts = Toast.createToastManager()

/** How long a toast stays, in milliseconds; longer with an action, so that there is time for it. */
const SHOWN_MS = 4000
const WITH_ACTION_MS = 8000

/** Toasts from before their list is loaded, which comes after the page. */
const waiting: (() => void)[] = []
let isListLoaded = false

/** Shows the toasts that were waiting for their list. */
export function showWaiting(): void {
  isListLoaded = true
  for (const show of waiting.splice(0)) show()
}

/** Says in a toast that something is done; `action` offers to undo it, or to go there. */
export function notify(text: string, action?: { label: string; act: () => void }): void {
  if (!isListLoaded) return void waiting.push(() => notify(text, action))
  const id = toasts.add({
    title: text,
    timeout: action ? WITH_ACTION_MS : SHOWN_MS,
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
