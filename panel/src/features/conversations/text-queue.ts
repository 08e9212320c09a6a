import { useRef, useState } from 'react'
import type { Message } from '../../data/api-types.ts'

/** A text that is being sent, or waits for the one before it. */
export type WaitingText = { what: 'text' | 'note'; text: string; quoted: Message | null }

/**
 * Sends texts one after another, in the order in which they were submitted. `waiting` are those that are not sent yet. If
 * one is refused, `onRefused` gets it and those behind it.
 */
export function useTextQueue(props: {
  send: (one: WaitingText) => Promise<void>
  onRefused: (unsent: WaitingText[], failure: unknown) => void
}) {
  const { send, onRefused } = props
  const queue = useRef<WaitingText[]>([])
  const [waiting, setWaiting] = useState<WaitingText[]>([])
  const show = () => setWaiting([...queue.current])

  async function run(): Promise<void> {
    for (let one = queue.current[0]; one; one = queue.current[0]) {
      try {
        await send(one)
        queue.current.shift()
      } catch (failure) {
        onRefused(queue.current.splice(0), failure)
      }
      show()
    }
  }

  return {
    waiting,
    submit(one: WaitingText): void {
      const isIdle = queue.current.length === 0
      queue.current.push(one)
      show()
      if (isIdle) void run()
    },
  }
}
