import type { ChangeKind } from '../../../src/kernel/change-kind.ts'
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { ApiError, type Mode } from './api.ts'
import type { ModeData } from './query-key.ts'
import type { EventName } from './trigger-event.ts'
import { readMe } from './session.ts'

/** A live event, in the envelope that webhooks receive. */
export type Envelope = {
  event: EventName
  instanceId: string
  timestamp: string
  data: { eventId: string } & Record<string, unknown>
}
/** An instance is typing, or recording, in a chat; show it for `ms` milliseconds. */
export type Typing = { instanceId: string; chatId: string; ms: number; recording: boolean }
/** Another member of the team is writing in a conversation; show it for `ms` milliseconds. */
export type Teammate = { conversationId: string; userId: string; ms: number }
/** State of the live connection; `waiting` means that it is down, or not ready after `READY_TIMEOUT_MS`. */
export type LiveState = 'connecting' | 'open' | 'waiting'
/** A list that is loaded page by page. */
type LongList = InfiniteData<{ items: unknown[] }>
type Watcher = (state: LiveState) => void

const INITIAL_RETRY_DELAY_MS = 1000
const MAX_RETRY_DELAY_MS = 30_000
/** A stream silent for this long is dead even if the browser reports it open: the server pings every 25 s. */
const SILENCE_TIMEOUT_MS = 60_000
/** A stream that is not ready by then may be blocked: pages show a notice and poll instead. */
const READY_TIMEOUT_MS = 5000
/** Events that arrive within this window cause one refetch. */
const BATCH_WINDOW_MS = 120
/** Maximum time that one round of refetches delays the next. */
const REFETCH_TIMEOUT_MS = 5000
const HIDDEN_DISCONNECT_MS = 5 * 60_000
/** Delay before a long list of conversations is loaded again, for changes below its head. */
const LONG_LIST_DELAY_MS = 15_000
/** The conversations at the head of a list, which are refetched at once. */
const HEAD = 50
/** Delay before the refetch after the first connect, so that a new page can finish loading first. */
const FIRST_REFETCH_DELAY_MS = 6000
/** Changes that affect the signed-in user or their permissions. */
const USER_CHANGES: ReadonlySet<ChangeKind | '*'> = new Set<ChangeKind>([
  'members',
  'plan',
  'second-factor',
])

const pause = (ms: number) => new Promise<void>((resolve) => window.setTimeout(resolve, ms))

/** Query keys that every event invalidates, since any event may be delivered to webhooks. */
const INVALIDATED_ALWAYS: ModeData[] = ['requests', 'deliveries']
/**
 * The query keys, without their mode, that each event invalidates. Data that pages poll, such as health, is not listed.
 */
const INVALIDATED_BY_EVENT: Record<EventName, ModeData[]> = {
  'message.received': ['messages', 'conversations', 'cap'],
  'message.status': ['messages', 'conversations', 'cap'],
  'message.deleted': ['messages', 'conversations'],
  'instance.status': ['instances', 'pairing', 'history', 'phones'],
  'call.received': ['calls', 'past'],
  'group.participants': ['groups', 'past', 'conversations', 'messages'],
  'group.updated': ['groups', 'past', 'conversations', 'messages'],
  'contact.updated': ['contacts', 'conversations', 'messages', 'groups'],
  'label.updated': ['labels', 'past'],
  'label.association': ['labels', 'past', 'conversations'],
}
/** The query keys that a change of an instance's status invalidates, also one without an event. */
const INVALIDATED_BY_INSTANCE: ModeData[] = ['instances', 'pairing', 'history']

/**
 * Opens the tab's single live connection: invalidates the queries that a change affects, and passes envelopes to
 * listeners. `onEnded` receives the reason's code when the session ends.
 */
export function openLive(
  mode: Mode,
  client: QueryClient,
  onEnded: (code: string) => void,
  /** Whether the connection stays open while the tab is hidden, to notify of messages. */
  staysAwake: () => boolean,
) {
  const listeners = new Set<(envelope: Envelope) => void>()
  const onTyping = new Set<(typing: Typing) => void>()
  const onTeammate = new Set<(teammate: Teammate) => void>()
  const watchers = new Set<Watcher>()
  const old = new Map<string, QueryKey>()
  let state: LiveState = 'connecting'
  let source: EventSource | null = null
  let retry: number | undefined
  let silence: number | undefined
  let late: number | undefined
  let asleep: number | undefined
  let longLists: number | undefined
  let wait = INITIAL_RETRY_DELAY_MS
  let gathering = false
  let closed = false

  function setState(next: LiveState): void {
    state = next
    for (const watch of watchers) watch(next)
  }

  /** Refetches stale queries in sequential rounds, so that a burst of events does not pile up requests. */
  async function refetchStale(): Promise<void> {
    if (gathering) return
    gathering = true
    await pause(BATCH_WINDOW_MS)
    while (old.size > 0 && !closed) {
      const keys = [...old.values()]
      old.clear()
      const asked = Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })))
      await Promise.race([asked, pause(REFETCH_TIMEOUT_MS)])
      await pause(BATCH_WINDOW_MS)
    }
    gathering = false
  }
  const ofMode = (data: ModeData[]) => data.map((name) => [mode, name] as const)
  function invalidate(keys: QueryKey[]): void {
    for (const key of keys) old.set(JSON.stringify(key), key)
    void refetchStale()
  }
  /** Invalidates all queries of this mode. */
  const invalidateAll = () => void client.invalidateQueries({ queryKey: [mode] })
  /**
   * Soon loads lists of conversations again that are longer than their head, which is refetched at once: assigning,
   * finishing or labelling a conversation leaves it in its place.
   */
  function invalidateLongLists(): void {
    longLists ??= window.setTimeout(() => {
      const isLong = ({ state }: { state: { data: unknown } }) =>
        ((state.data as LongList | undefined)?.pages ?? []).flatMap(({ items }) => items).length >
        HEAD
      // Not canceled by the next round, which waits for it.
      void client
        .invalidateQueries(
          { queryKey: [mode, 'chats'], predicate: isLong },
          { cancelRefetch: false },
        )
        .finally(() => (longLists = undefined))
    }, LONG_LIST_DELAY_MS)
  }

  function drop(): void {
    source?.close()
    source = null
    window.clearTimeout(silence)
    window.clearTimeout(late)
    if (closed || (document.hidden && !staysAwake())) return
    setState('waiting')
    window.clearTimeout(retry)
    retry = window.setTimeout(() => void renewAndReconnect(), wait)
    wait = Math.min(MAX_RETRY_DELAY_MS, wait * 2)
  }
  /** An EventSource cannot renew the session, so an ordinary request does, or finds that it has ended. */
  async function renewAndReconnect(): Promise<void> {
    try {
      await readMe()
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return close()
    }
    connect()
  }
  function resetSilenceTimer(): void {
    window.clearTimeout(silence)
    silence = window.setTimeout(drop, SILENCE_TIMEOUT_MS)
  }

  function connect(): void {
    if (closed || source) return
    const made = new EventSource(`/panel/api/${mode}/live`)
    source = made
    const on = (name: string, hear: (data: string) => void) =>
      made.addEventListener(name, ({ data }: MessageEvent<string>) => {
        resetSilenceTimer()
        hear(data)
      })
    resetSilenceTimer()
    window.clearTimeout(late)
    late = window.setTimeout(() => setState('waiting'), READY_TIMEOUT_MS)
    on('ready', () => {
      window.clearTimeout(late)
      const back = state === 'waiting'
      wait = INITIAL_RETRY_DELAY_MS
      setState('open')
      // Events were missed while disconnected, or between the page's first queries and this connection.
      if (back) invalidateAll()
      else window.setTimeout(invalidateAll, FIRST_REFETCH_DELAY_MS)
    })
    on('ping', () => {})
    on('event', (data) => {
      const envelope = JSON.parse(data) as Envelope
      invalidate(ofMode([...INVALIDATED_BY_EVENT[envelope.event], ...INVALIDATED_ALWAYS]))
      for (const hear of listeners) hear(envelope)
    })
    on('typing', (data) => {
      const typing = JSON.parse(data) as Typing
      for (const hear of onTyping) hear(typing)
    })
    on('teammate', (data) => {
      const teammate = JSON.parse(data) as Teammate
      for (const hear of onTeammate) hear(teammate)
    })
    on('instance', () => invalidate(ofMode(INVALIDATED_BY_INSTANCE)))
    on('changed', (data) => {
      const { what } = JSON.parse(data) as { what: (ChangeKind | '*')[] }
      if (what.includes('*')) invalidateAll()
      // Query keys shared by both modes have no mode prefix.
      const kinds = what.filter((kind) => kind !== '*')
      if (kinds.includes('conversations') || kinds.includes('labels')) invalidateLongLists()
      invalidate([...ofMode(kinds), ...kinds.map((kind) => [kind] as const), ['audit']])
      if (what.some((key) => USER_CHANGES.has(key))) invalidate([['me']])
    })
    on('ended', (data) => {
      close()
      onEnded((JSON.parse(data) as { code: string }).code)
    })
    made.addEventListener('error', drop)
  }

  /** Closes the connection of a tab that stays hidden: browsers allow few connections per server. */
  function onVisibilityChange(): void {
    window.clearTimeout(asleep)
    if (document.hidden) {
      asleep = window.setTimeout(() => {
        if (staysAwake()) return
        source?.close()
        source = null
        window.clearTimeout(silence)
      }, HIDDEN_DISCONNECT_MS)
    } else if (!source) {
      setState('waiting')
      void renewAndReconnect()
    }
  }
  document.addEventListener('visibilitychange', onVisibilityChange)

  function close(): void {
    closed = true
    source?.close()
    document.removeEventListener('visibilitychange', onVisibilityChange)
    for (const timer of [retry, silence, asleep, late, longLists]) window.clearTimeout(timer)
  }
  connect()
  return {
    close,
    state: () => state,
    subscribeState(watcher: Watcher) {
      watchers.add(watcher)
      return () => void watchers.delete(watcher)
    },
    subscribe(hear: (envelope: Envelope) => void) {
      listeners.add(hear)
      return () => void listeners.delete(hear)
    },
    subscribeTyping(hear: (typing: Typing) => void) {
      onTyping.add(hear)
      return () => void onTyping.delete(hear)
    },
    subscribeTeammate(hear: (teammate: Teammate) => void) {
      onTeammate.add(hear)
      return () => void onTeammate.delete(hear)
    },
  }
}
/** A live connection, as returned by `openLive`. */
export type Live = ReturnType<typeof openLive>
