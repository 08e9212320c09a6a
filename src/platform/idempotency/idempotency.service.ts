import { errorCode } from '../db/database-errors.ts'
import type { Database } from '../db/database.ts'
import { sharesOf, type Share } from '../db/shares.ts'
import type { Db, Scope } from '../db/sql.ts'
import { delay, type Clock } from '../../kernel/clock.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  claimKey,
  deleteExpiredKeys,
  findResponse,
  leaseKey,
  releaseKey,
  storeResponse,
} from './idempotency.sql.ts'

const RETENTION_MS = 24 * 3600_000
const WAIT_MS = 30_000
/** Maximum concurrent requests that ask a network: they hold no connection, but may take long. */
const NETWORK: Share = { max: 256, maxPerKey: 16 }
/** Maximum concurrent requests with a key whose files are being stored. */
const PREPARING: Share = { max: 32, maxPerKey: 4 }
/** How long a request that asks a network may take, before its key is taken to be abandoned. */
const LEASE_MS = 120_000
const POLL_MS = 500
const MAX_WAITING = 2000
const LOCK_TIMEOUT = '55P03'

type StoredResponse = { status: number; body: string }

/** Idempotent execution of requests, as used by the HTTP routes. */
export type IdempotencyStore = {
  /**
   * Runs `work` at most once per key. If a response is already stored, returns it with `replayed: true`. Throws a conflict
   * when the key was used for a different request or its request is still in progress. Work of the database runs in a
   * transaction that also stores the response, so that a crash repeats nothing. Work that asks a network runs without one,
   * as its effect on the network cannot be undone anyway; after a crash, its key is free once the lease has expired.
   */
  once(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (db: Db) => Promise<StoredResponse>,
    asks: 'database' | 'network',
  ): Promise<StoredResponse & { replayed: boolean }>
  /** Prepares a request before `once`, in turns of Projects. */
  prepare<T>(scope: Scope, work: () => Promise<T>): Promise<T>
  /** Returns the stored response of a request, or null if there is none yet. */
  find(scope: Scope, key: string, fingerprint: Buffer): Promise<StoredResponse | null>
}

/** The store, with its periodic cleanup. `sweep` deletes expired keys. */
export type IdempotencyService = IdempotencyStore & { sweep(db: Db): Promise<void> }

/** Stores the first 2xx response of each key for 24 hours (G19). */
export function createIdempotencyService(deps: {
  db: Pick<Database, 'poolSize'> & Db
  clock: Clock
}): IdempotencyService {
  const { db, clock } = deps
  const underWay = new Map<string, Promise<unknown>>()
  const createGate = (share: Share) =>
    createFairSemaphore({ clock, ...share, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })
  const gates = {
    database: createGate(sharesOf(db.poolSize).keyed),
    network: createGate(NETWORK),
  }

  const preparing = createGate(PREPARING)

  /** Returns the stored response of a request; null if its key is free or its request in progress. Throws a conflict. */
  async function replay(on: Db, scope: Scope, key: string, fingerprint: Buffer) {
    const now = new Date(clock.now())
    const expiredBefore = new Date(clock.now() - RETENTION_MS)
    const kept = await findResponse(on, scope, { key, now, expiredBefore })
    if (kept?.status == null || kept.body === null) return null
    if (!kept.fingerprint.equals(fingerprint))
      throw fail('conflict', (say) => say.idempotency.mismatch, { reason: 'IDEMPOTENCY_MISMATCH' })
    return { status: kept.status, body: kept.body, replayed: true }
  }

  async function runOnce(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (tx: Db) => Promise<StoredResponse>,
  ) {
    const now = new Date(clock.now())
    const expiredBefore = new Date(clock.now() - RETENTION_MS)
    return db.transaction(async (tx) => {
      if (await claimKey(tx, scope, { key, fingerprint, now, expiredBefore })) {
        const answer = await work(tx)
        await storeResponse(tx, scope, key, answer, null)
        return { ...answer, replayed: false }
      }
      const replayed = await replay(tx, scope, key, fingerprint)
      if (!replayed) throw stillUnderWay()
      return replayed
    })
  }

  /** Like `runOnce`, without a transaction around the work. */
  async function runLeased(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (on: Db) => Promise<StoredResponse>,
  ) {
    const deadline = clock.monotonic() + WAIT_MS
    let until = new Date(0)
    const lease = () => {
      const now = clock.now()
      until = new Date(now + LEASE_MS)
      const expiredBefore = new Date(now - RETENTION_MS)
      return leaseKey(db, scope, { key, fingerprint, now: new Date(now), expiredBefore, until })
    }
    while (!(await lease())) {
      const replayed = await replay(db, scope, key, fingerprint)
      if (replayed) return replayed
      if (clock.monotonic() >= deadline) throw stillUnderWay()
      await delay(clock, POLL_MS)
    }
    const answer = await work(db).catch(async (error: unknown) => {
      // If this fails, too, the key is free when the lease expires.
      await releaseKey(db, scope, key, until).catch(() => {})
      throw error
    })
    // If this fails, the key stays leased, so that the client does not repeat at once what the network has done.
    await storeResponse(db, scope, key, answer, until)
    return { ...answer, replayed: false }
  }

  /**
   * Retries while a request with the same key is in progress on another node. Safe, because a waiting attempt has not
   * done any work yet.
   */
  async function retryWhileLocked<T>(attempt: () => Promise<T>): Promise<T> {
    const deadline = clock.monotonic() + WAIT_MS
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (errorCode(error) !== LOCK_TIMEOUT) throw error
        if (clock.monotonic() >= deadline) throw stillUnderWay()
      }
    }
  }

  /** Waits for a request with the same key on this node without holding a connection, which that request may need. */
  async function waitForDuplicate(id: string): Promise<void> {
    const deadline = clock.monotonic() + WAIT_MS
    for (let twin = underWay.get(id); twin; twin = underWay.get(id)) {
      const left = deadline - clock.monotonic()
      if (left <= 0 || !(await endsWithin(clock, twin, left))) throw stillUnderWay()
    }
  }

  return {
    prepare: (scope, work) => preparing(scope.projectId, work),
    find: (scope, key, fingerprint) => replay(db, scope, key, fingerprint),

    async once(scope, key, fingerprint, work, asks) {
      const id = `${scope.projectId} ${scope.mode} ${key}`
      await waitForDuplicate(id)
      const run = gates[asks](scope.projectId, () =>
        asks === 'network'
          ? runLeased(scope, key, fingerprint, work)
          : retryWhileLocked(() => runOnce(scope, key, fingerprint, work)),
      )
      const settled = run.then(
        () => {},
        () => {},
      )
      underWay.set(id, settled)
      try {
        return await run
      } finally {
        underWay.delete(id)
      }
    },
    sweep: (patient) => deleteExpiredKeys(patient, new Date(clock.now() - RETENTION_MS)),
  }
}

function stillUnderWay() {
  return fail('conflict', (say) => say.idempotency.inFlight)
}

function endsWithin(clock: Clock, work: Promise<unknown>, ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve(false))
    void work.then(() => {
      timer.cancel()
      resolve(true)
    })
  })
}
