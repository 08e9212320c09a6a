import type { QueryClient } from '@tanstack/react-query'
import type { Mode } from './api.ts'
import type { EventName } from './cause-event.ts'

export type Envelope = {
  event: EventName
  instanceId: string
  timestamp: string
  data: { eventId: string } & Record<string, unknown>
}
export type LiveState = 'connecting' | 'open' | 'waiting'
type Watcher = (state: LiveState) => void

const FIRST_WAIT_MS = 1000
const LONGEST_WAIT_MS = 30_000
/** A stream that says nothing at all for so long is dead, whatever the browser believes: it pings each 25 s. */
const SILENCE_MS = 60_000
/** What happens together is asked for once. */
const GATHER_MS = 120

const DELIVERED = ['requests', 'deliveries', 'health']
/** What each event makes old: the first parts of query keys. */
const TOUCHED: Record<EventName, string[]> = {
  'message.received': ['messages', 'conversations', 'inbox', 'cap', 'usage'],
  'message.status': ['messages', 'conversations', 'inbox', 'cap', 'usage'],
  'message.deleted': ['messages', 'conversations', 'inbox'],
  'instance.status': ['instances', 'pairing', 'history', 'phones'],
  'call.received': ['calls'],
  'group.participants': ['groups', 'conversations', 'messages'],
  'group.updated': ['groups', 'conversations', 'messages'],
  'contact.updated': ['conversations', 'messages', 'groups'],
  'label.updated': ['labels'],
  'label.association': ['labels', 'conversations'],
}

/** The one live connection of this tab: makes what changed be asked for again, and tells envelopes to who listens. */
export function openLive(mode: Mode, client: QueryClient, onEnded: (code: string) => void) {
  const listeners = new Set<(envelope: Envelope) => void>()
  const watchers = new Set<Watcher>()
  const old = new Set<string>()
  let state: LiveState = 'connecting'
  let source: EventSource | null = null
  let retry: number | undefined
  let silence: number | undefined
  let gather: number | undefined
  let wait = FIRST_WAIT_MS
  let closed = false

  function move(next: LiveState): void {
    state = next
    for (const watch of watchers) watch(next)
  }
  function touch(keys: string[]): void {
    for (const key of keys) old.add(key)
    gather ??= window.setTimeout(() => {
      gather = undefined
      const touched = [...old]
      old.clear()
      for (const key of touched) void client.invalidateQueries({ queryKey: [mode, key] })
    }, GATHER_MS)
  }

  function drop(): void {
    source?.close()
    window.clearTimeout(silence)
    if (closed) return
    move('waiting')
    retry = window.setTimeout(connect, wait)
    wait = Math.min(LONGEST_WAIT_MS, wait * 2)
  }
  function hearSign(): void {
    window.clearTimeout(silence)
    silence = window.setTimeout(drop, SILENCE_MS)
  }

  function connect(): void {
    if (closed) return
    const made = new EventSource(`/panel/api/${mode}/live`)
    source = made
    const on = (name: string, hear: (data: string) => void) =>
      made.addEventListener(name, ({ data }: MessageEvent<string>) => {
        hearSign()
        hear(data)
      })
    hearSign()
    on('ready', () => {
      const back = wait > FIRST_WAIT_MS
      wait = FIRST_WAIT_MS
      move('open')
      // Nobody told what happened meanwhile.
      if (back) void client.invalidateQueries({ queryKey: [mode] })
    })
    on('ping', () => {})
    on('event', (data) => {
      const envelope = JSON.parse(data) as Envelope
      touch([...TOUCHED[envelope.event], ...DELIVERED])
      for (const hear of listeners) hear(envelope)
    })
    on('instance', () => touch(['instances', 'pairing', 'history']))
    on('changed', (data) => {
      const { what } = JSON.parse(data) as { what: string[] }
      if (what.includes('*')) void client.invalidateQueries({ queryKey: [mode] })
      touch(what)
      // What both modes share has no mode in its name.
      for (const key of [...what, 'audit', 'me']) void client.invalidateQueries({ queryKey: [key] })
    })
    on('ended', (data) => {
      close()
      onEnded((JSON.parse(data) as { code: string }).code)
    })
    made.addEventListener('error', drop)
  }

  function close(): void {
    closed = true
    source?.close()
    for (const timer of [retry, silence, gather]) window.clearTimeout(timer)
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
