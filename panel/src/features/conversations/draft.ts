import { useEffect, useState } from 'react'
import { isBehindDialog, OWN_KEYS } from './own-keys.ts'

/** The unsent text of each conversation, kept while the tab is open. */
export function useDraft(conversationId: string) {
  const key = `recado.rascunho.${conversationId}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  }, [key, text])
  return [text, setText] as const
}

/** r focuses the reply field, unless a text field, a menu or a dialog has the focus. */
export function useReplyKey(focus: () => void) {
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey } = event
      const writes = target instanceof Element && target.closest(OWN_KEYS)
      if (key !== 'r' || writes || ctrlKey || metaKey || isBehindDialog()) return
      event.preventDefault()
      focus()
    }
    document.addEventListener('keydown', handleKeyDown)
    return () => document.removeEventListener('keydown', handleKeyDown)
  }, [])
}
