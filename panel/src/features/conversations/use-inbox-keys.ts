import { useEffect, type RefObject } from 'react'
import type { Conversation } from '../../data/api-types.ts'
import { isBehindDialog, OWN_KEYS } from './own-keys.ts'

/**
 * j and k move down and up the list and / goes to the search, unless a text field, a menu or a dialog has the focus. Alt
 * with an arrow moves while writing, too.
 */
export function useInboxKeys(
  panes: RefObject<HTMLDivElement | null>,
  items: Conversation[],
  open: string | undefined,
  choose: (id: string, isWriting: boolean) => void,
) {
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey, altKey } = event
      const field = target instanceof Element ? target.closest(OWN_KEYS) : null
      const isWriting = field?.matches('textarea') ?? false
      const step = altKey ? { ArrowDown: 1, ArrowUp: -1 }[key] : { j: 1, k: -1 }[key]
      if (ctrlKey || metaKey || isBehindDialog()) return
      if (altKey ? step === undefined || (field && !isWriting) : field) return
      if (key === '/') {
        event.preventDefault()
        panes.current?.querySelector<HTMLElement>('input[type=search]')?.focus()
      }
      if (step === undefined) return
      const at = items.findIndex(({ id }) => id === open)
      const next = items[Math.min(Math.max(0, at + step), items.length - 1)]
      if (altKey) event.preventDefault()
      if (next) choose(next.id, isWriting)
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  })
}
