import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../kernel/clock.ts'

/** Key changes that are not stored yet, by kind and id; null deletes. */
export type Mutations = Map<string, Map<string, unknown>>

const EVENT_TIMEOUT_MS = 1000

/** What was decrypted: a message, or changes to the account's lists. */
type Decrypted = 'message' | 'list'

/** The write barrier of one connection; see `createWriteBarrier`. */
export type WriteBarrier = {
  /** Records changed keys. They are stored before any bytes leave that depend on them. */
  saveKeys(changed: Record<string, Record<string, unknown> | undefined>): void
  /** Something was decrypted: holds back bytes, which might acknowledge it, until `eventQueued`. */
  expectEvent(what: Decrypted): void
  eventQueued(what: Decrypted): void
  /** Holds bytes back until `work`, the commit of received data, has succeeded. */
  commit(work: Promise<void>): void
  /** Queues bytes, which leave in order once everything recorded before them is stored. */
  send(leave: () => void): void
  /** Drops queued bytes and unsaved changes; the network delivers their data again. */
  close(): void
  /** Resolves when all recorded changes are stored. */
  flushed(): Promise<void>
}

/**
 * Creates a write barrier, whose ordering prevents data loss: received data is committed, then the changed keys are stored in
 * one statement, then the bytes leave that acknowledge the data and use the keys. After a crash between any two steps
 * the network delivers the data again, the stored keys can still decrypt it, and no key is used twice. Changes
 * accumulate while a round is in progress, so that a busy session needs one statement for many messages.
 */
export function createWriteBarrier(options: {
  clock: Clock
  save: (mutations: Mutations) => Promise<void>
  onError: (error: unknown) => void
}): WriteBarrier {
  const { clock, save, onError } = options
  let dirty: Mutations = new Map()
  let frames: (() => void)[] = []
  /** Pending commits, each with the function that stops waiting for it. */
  const commits = new Map<Promise<void>, () => void>()
  let failed: { error: unknown } | null = null
  const pendingEvents = new Map<Decrypted, { done: Promise<void>; end: () => void }>()
  let running: Promise<void> | null = null
  let closed = false

  async function run(): Promise<void> {
    while (!closed && (frames.length > 0 || dirty.size > 0)) {
      // The engine hands over bytes first and, later in the same turn, the keys that they used.
      await setImmediate()
      const leaving = frames
      const due = dirty
      frames = []
      dirty = new Map()
      await Promise.all([...pendingEvents.values()].map(({ done }) => done))
      await Promise.all(commits.keys())
      if (closed) return
      // Data whose commit failed must not be acknowledged.
      if (failed) throw failed.error
      if (due.size > 0) await save(due)
      if (closed) return
      for (const leave of leaving) leave()
    }
  }

  function start(): void {
    if (running || closed) return
    running = run()
      // A session must not continue without its keys stored; `onError` ends the connection.
      .catch((error: unknown) => {
        closed = true
        onError(error)
      })
      .finally(() => {
        running = null
        if (!closed && (frames.length > 0 || dirty.size > 0)) start()
      })
  }

  return {
    saveKeys(changed) {
      for (const [kind, entries] of Object.entries(changed)) {
        const known = dirty.get(kind) ?? new Map<string, unknown>()
        for (const [id, value] of Object.entries(entries ?? {})) known.set(id, value ?? null)
        dirty.set(kind, known)
      }
      start()
    },
    expectEvent(what) {
      if (pendingEvents.has(what)) return
      const { promise: done, resolve } = Promise.withResolvers<void>()
      // Some decrypted messages produce no event, so the wait is limited.
      const timer = clock.after(EVENT_TIMEOUT_MS, () => mine.end())
      const mine = {
        done,
        end: () => {
          timer.cancel()
          if (pendingEvents.get(what) === mine) pendingEvents.delete(what)
          resolve()
        },
      }
      pendingEvents.set(what, mine)
    },
    eventQueued(what) {
      pendingEvents.get(what)?.end()
    },
    commit(work) {
      const { promise, resolve } = Promise.withResolvers<void>()
      commits.set(promise, resolve)
      const end = () => {
        commits.delete(promise)
        resolve()
      }
      work.then(end, (error: unknown) => {
        failed ??= { error }
        end()
        start()
      })
    },
    send(leave) {
      frames.push(leave)
      start()
    },
    close() {
      closed = true
      for (const end of commits.values()) end()
      frames = []
      for (const { end } of pendingEvents.values()) end()
    },
    async flushed() {
      while (running) await running
    },
  }
}
