import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react'
import type { Message } from '../../data/api-types.ts'

/** A text that is being sent, or waits for the one before it. */
export type WaitingText = { what: 'text' | 'note'; text: string; quoted: Message | null }

const NONE: readonly WaitingText[] = []
const queues = new Map<string, readonly WaitingText[]>()
const listeners = new Set<() => void>()
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
const keyOf = (conversationId: string) => `recado.saindo.${conversationId}`

/** Replaces a queue. Texts whose request has not begun are stored, because the page may be loaded again. */
function keep(conversationId: string, queue: readonly WaitingText[]): void {
  if (queue.length === 0) queues.delete(conversationId)
  else queues.set(conversationId, queue)
  const unsent = queue.slice(1).map(({ what, text }) => ({ what, text }))
  if (unsent.length === 0) sessionStorage.removeItem(keyOf(conversationId))
  else sessionStorage.setItem(keyOf(conversationId), JSON.stringify(unsent))
  for (const listener of listeners) listener()
}

/**
 * Sends the texts of a conversation one after another, in the order in which they were submitted, also after its form is
 * gone. `waiting` are those that are not sent yet. `onUnsent` gets those that were refused, or left by a page that was
 * loaded again.
 */
export function useTextQueue(
  conversationId: string,
  props: {
    send: (one: WaitingText) => Promise<void>
    onUnsent: (unsent: WaitingText[], failure: unknown) => void
  },
) {
  const { send, onUnsent } = props
  const current = useCallback(() => queues.get(conversationId) ?? NONE, [conversationId])
  const waiting = useSyncExternalStore(subscribe, current)

  const latestOnUnsent = useRef(onUnsent)
  useEffect(() => {
    latestOnUnsent.current = onUnsent
  })
  useEffect(() => {
    const left = sessionStorage.getItem(keyOf(conversationId))
    if (left === null || current().length > 0) return
    keep(conversationId, NONE)
    const texts = JSON.parse(left) as Omit<WaitingText, 'quoted'>[]
    latestOnUnsent.current(
      texts.map((one) => ({ ...one, quoted: null })),
      null,
    )
  }, [conversationId, current])

  async function run(): Promise<void> {
    for (let [one] = current(); one; [one] = current()) {
      try {
        await send(one)
        keep(conversationId, current().slice(1))
      } catch (failure) {
        const unsent = [...current()]
        keep(conversationId, NONE)
        onUnsent(unsent, failure)
      }
    }
  }

  return {
    waiting,
    submit(one: WaitingText): void {
      const isIdle = current().length === 0
      keep(conversationId, [...current(), one])
      if (isIdle) void run()
    },
  }
}
