import { useEffect, useState, type RefObject } from 'react'

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

/** r focuses the reply field while the focus is inside the panes, but not in a text field. */
export function useReplyKey(frame: RefObject<HTMLElement | null>, focus: () => void) {
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey } = event
      const writes = target instanceof Element && target.closest('input, textarea, select, dialog')
      if (key !== 'r' || writes || ctrlKey || metaKey) return
      event.preventDefault()
      focus()
    }
    const element = frame.current?.closest<HTMLElement>('.inbox')
    element?.addEventListener('keydown', handleKeyDown)
    return () => element?.removeEventListener('keydown', handleKeyDown)
  }, [])
}
