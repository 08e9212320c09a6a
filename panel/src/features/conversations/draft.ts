import { useEffect, useState } from 'react'
import { isBehindDialog, OWN_KEYS } from './own-keys.ts'

/** Who reads what is being written: the contact, or only the team. */
type Draft = 'message' | 'note'
const KEY: Record<Draft, string> = { message: 'recado.rascunho', note: 'recado.rascunho-nota' }

function useStored(key: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  }, [key, text])
  return [text, setText] as const
}

/**
 * The unsent message and the unsent note of a conversation, kept while the tab is open. They are apart, so that a note
 * never becomes a message to the contact.
 */
export function useDrafts(conversationId: string) {
  return {
    message: useStored(`${KEY.message}.${conversationId}`),
    note: useStored(`${KEY.note}.${conversationId}`),
  }
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
