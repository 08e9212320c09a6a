import { useCallback, useEffect, useSyncExternalStore, type SetStateAction } from 'react'
import { isBehindDialog, OWN_KEYS } from './own-keys.ts'

/** Who reads what is being written: the contact, or only the team. */
type Draft = 'message' | 'note'
const KEY: Record<Draft, string> = { message: 'recado.rascunho', note: 'recado.rascunho-nota' }

/** A new text, or how it follows from the one that is stored. */
export type Words = string | ((typed: string) => string)

const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const read = (key: string) => sessionStorage.getItem(key) ?? ''
function store(key: string, next: Words): void {
  const text = typeof next === 'string' ? next : next(read(key))
  if (text) sessionStorage.setItem(key, text)
  else sessionStorage.removeItem(key)
  for (const listener of listeners) listener()
}

/** A stored text. Setting it works even after the component is gone: the conversation shows it when it is opened again. */
function useStored(key: string) {
  const text = useSyncExternalStore(subscribe, () => read(key))
  return [text, useCallback((next: Words) => store(key, next), [key])] as const
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

/** What is kept of each conversation besides texts, in memory: a file cannot be stored. */
const kept = new Map<string, unknown>()

/**
 * State that a conversation has again when it is opened the next time, such as chosen files. Setting it works even after
 * the component is gone. It ends with a sign-out, which removes the marks in the browser's storage, or a reload.
 */
export function useKept<Value>(key: string, empty: Value) {
  const current = useCallback(
    () =>
      // The mark outlives a reload of the page, and the value does not.
      sessionStorage.getItem(key) !== null && kept.has(key) ? (kept.get(key) as Value) : empty,
    [key, empty],
  )
  const value = useSyncExternalStore(subscribe, current)
  const set = useCallback(
    (next: SetStateAction<Value>) => {
      const chosen =
        typeof next === 'function' ? (next as (before: Value) => Value)(current()) : next
      kept.set(key, chosen)
      if (chosen === null || (Array.isArray(chosen) && chosen.length === 0)) {
        kept.delete(key)
        sessionStorage.removeItem(key)
      } else sessionStorage.setItem(key, '1')
      for (const listener of listeners) listener()
    },
    [key, current],
  )
  return [value, set] as const
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
