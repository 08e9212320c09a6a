import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../kernel/clock.ts'

/** What a session has learned and not kept yet: by kind and id; null for what is gone. */
export type Mutations = Map<string, Map<string, unknown>>

const PATIENCE_MS = 1000

/** A message, or what is new on the account's lists. */
type Opened = 'message' | 'list'

export type Valve = {
  /** Notes keys that changed. They are kept before anything leaves that follows from them. */
  keys(changed: Record<string, Record<string, unknown> | undefined>): void
  /** Something was opened: until it is `told`, nothing leaves that might acknowledge it. */
  opened(what: Opened): void
  told(what: Opened): void
  /** Something that was heard is being committed. */
  commit(work: Promise<void>): void
  /** Lets bytes leave, in their order, once all before them is kept. */
  send(leave: () => void): void
  /** Nothing more leaves; what is not kept is forgotten, and the network tells it again. */
  close(): void
  /** Resolves when all that was noted is kept. */
  settled(): Promise<void>
}

/**
 * The order that loses nothing: what arrived is committed, then the keys that changed are kept in one statement, then
 * the bytes leave that acknowledge the one and use the other. A crash between any two leaves the network to tell
 * again, to keys that can still read it; no key is used twice. While one round waits the next one gathers, so that a
 * busy session pays one statement for many messages.
 */
export function createValve(options: {
  clock: Clock
  save: (mutations: Mutations) => Promise<void>
  onError: (error: unknown) => void
}): Valve {
  const { clock, save, onError } = options
  let dirty: Mutations = new Map()
  let frames: (() => void)[] = []
  /** What is being committed, and how to stop waiting for it. */
  const commits = new Map<Promise<void>, () => void>()
  let failed: { error: unknown } | null = null
  const openings = new Map<Opened, { done: Promise<void>; end: () => void }>()
  let running: Promise<void> | null = null
  let closed = false

  async function run(): Promise<void> {
    while (!closed && (frames.length > 0 || dirty.size > 0)) {
      // The engine hands over bytes and then, in the same turn, the keys that they used: never the one without the other.
      await setImmediate()
      const leaving = frames
      const due = dirty
      frames = []
      dirty = new Map()
      await Promise.all([...openings.values()].map(({ done }) => done))
      await Promise.all(commits.keys())
      if (closed) return
      // What could not be committed must not be acknowledged.
      if (failed) throw failed.error
      if (due.size > 0) await save(due)
      if (closed) return
      for (const leave of leaving) leave()
    }
  }

  function start(): void {
    if (running || closed) return
    running = run()
      // Without its keys a session must not go on: whoever opened it closes it.
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
    keys(changed) {
      for (const [kind, entries] of Object.entries(changed)) {
        const known = dirty.get(kind) ?? new Map<string, unknown>()
        for (const [id, value] of Object.entries(entries ?? {})) known.set(id, value ?? null)
        dirty.set(kind, known)
      }
      start()
    },
    opened(what) {
      if (openings.has(what)) return
      const { promise: done, resolve } = Promise.withResolvers<void>()
      // Some of what is opened is told to nobody.
      const timer = clock.after(PATIENCE_MS, () => mine.end())
      const mine = {
        done,
        end: () => {
          timer.cancel()
          if (openings.get(what) === mine) openings.delete(what)
          resolve()
        },
      }
      openings.set(what, mine)
    },
    told(what) {
      openings.get(what)?.end()
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
      for (const { end } of openings.values()) end()
    },
    async settled() {
      while (running) await running
    },
  }
}
