import type { QueryClient } from '@tanstack/react-query'
import type { Mode } from './api.ts'

export type Envelope = {
  event: string
  instanceId: string
  timestamp: string
  data: { eventId: string } & Record<string, unknown>
}
export type LiveState = 'connecting' | 'open' | 'waiting'
type Watcher = (state: LiveState) => void

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** What each event makes old: the first parts of query keys. */
const TOUCHED: Record<string, string[]> = {
  'message.received': ['messages', 'conversations', 'inbox', 'cap', 'requests', 'deliveries'],
  'message.status': ['messages', 'inbox', 'requests', 'deliveries', 'cap'],
  'instance.status': ['instances', 'requests', 'deliveries'],
}

/** The one live connection of this tab: makes what changed be asked for again, and tells envelopes to who listens. */
export function openLive(mode: Mode, client: QueryClient, onEnded: (code: string) => void) {
  const listeners = new Set<(envelope: Envelope) => void>()
  const watchers = new Set<Watcher>()
  let state: LiveState = 'connecting'
  let source: EventSource | null = null
  let timer: number | undefined
  let wait = FIRST_WAIT_MS
  let closed = false

  function move(next: LiveState): void {
    state = next
    for (const watch of watchers) watch(next)
  }
  function touch(keys: string[]): void {
    for (const key of keys) void client.invalidateQueries({ queryKey: [mode, key] })
  }

  function connect(): void {
    if (closed) return
    source = new EventSource(`/panel/api/${mode}/live`)
    source.addEventListener('ready', () => {
      const back = wait > FIRST_WAIT_MS
      wait = FIRST_WAIT_MS
      move('open')
      // Nobody told what happened meanwhile.
      if (back) void client.invalidateQueries({ queryKey: [mode] })
    })
    source.addEventListener('event', ({ data }: MessageEvent<string>) => {
      const envelope = JSON.parse(data) as Envelope
      touch(TOUCHED[envelope.event] ?? ['groups', 'labels', 'calls', 'messages', 'deliveries'])
      for (const hear of listeners) hear(envelope)
    })
    source.addEventListener('instance', () => touch(['instances', 'pairing']))
    source.addEventListener('ended', ({ data }: MessageEvent<string>) => {
      close()
      onEnded((JSON.parse(data) as { code: string }).code)
    })
    source.addEventListener('error', () => {
      source?.close()
      if (closed) return
      move('waiting')
      timer = window.setTimeout(connect, wait)
      wait = Math.min(LONGEST_WAIT_MS, wait * 2)
    })
  }

  function close(): void {
    closed = true
    source?.close()
    window.clearTimeout(timer)
  }
  connect()
  return {
    close,
    state: () => state,
    watch(watcher: Watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    listen(hear: (envelope: Envelope) => void) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
  }
}
export type Live = ReturnType<typeof openLive>
