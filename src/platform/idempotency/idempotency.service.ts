import { errorCode } from '../db/database-errors.ts'
import type { Db, Scope } from '../db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { findResponse, storeResponse, deleteExpiredKeys, claimKey } from './idempotency.sql.ts'

const RETENTION_MS = 24 * 3600_000
const WAIT_MS = 30_000
/**
 * Maximum concurrent requests with a key, in total and per Project. Each holds a connection until it ends; together they
 * use at most half of the pool. Those that ask a network, which may not respond for long, have slots of their own, so
 * that they never delay a send.
 */
const CONCURRENCY = { database: 4, network: 2 }
const PROJECT_CONCURRENCY = { database: 3, network: 1 }
/**
 * Requests with a file may decode it for seconds while they hold their slot of the database: they take half of those at
 * most, in turns of Projects.
 */
const FILE_CONCURRENCY = 2
const PROJECT_FILE_CONCURRENCY = 1
const MAX_WAITING = 2000
const LOCK_TIMEOUT = '55P03'

type StoredResponse = { status: number; body: string }

/** Idempotent execution of requests, as used by the HTTP routes. */
export type IdempotencyStore = {
  /**
   * Runs `work` at most once per key, in a transaction that also stores its response. If a response is already stored,
   * returns it with `replayed: true`. Throws a conflict when the key was used for a different request or its request is
   * still in progress.
   */
  once(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (tx: Db) => Promise<StoredResponse>,
    /** What the work takes its time for, which decides the concurrency slots that it shares with others. */
    waitsFor: 'database' | 'file' | 'network',
  ): Promise<StoredResponse & { replayed: boolean }>
}

/** The store, with its periodic cleanup. `sweep` deletes expired keys. */
export type IdempotencyService = IdempotencyStore & { sweep(db: Db): Promise<void> }

/** Stores the first 2xx response of each key for 24 hours (G19). */
export function createIdempotencyService(deps: { db: Db; clock: Clock }): IdempotencyService {
  const { db, clock } = deps
  const underWay = new Map<string, Promise<unknown>>()
  const createGate = (max: number, maxPerKey: number) =>
    createFairSemaphore({ clock, max, maxPerKey, maxWaiting: MAX_WAITING, timeoutMs: WAIT_MS })
  const database = createGate(CONCURRENCY.database, PROJECT_CONCURRENCY.database)
  const files = createGate(FILE_CONCURRENCY, PROJECT_FILE_CONCURRENCY)
  const gates = {
    database,
    network: createGate(CONCURRENCY.network, PROJECT_CONCURRENCY.network),
    file: <T>(key: string, work: () => Promise<T>) => files(key, () => database(key, work)),
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
        await storeResponse(tx, scope, key, answer)
        return { ...answer, replayed: false }
      }
      const kept = await findResponse(tx, scope, key, now)
      if (kept?.status == null || kept.body === null) throw stillUnderWay()
      if (!kept.fingerprint.equals(fingerprint)) {
        throw fail('conflict', (say) => say.idempotency.mismatch, {
          reason: 'IDEMPOTENCY_MISMATCH',
        })
      }
      return { status: kept.status, body: kept.body, replayed: true }
    })
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
    async once(scope, key, fingerprint, work, waitsFor) {
      const id = `${scope.projectId} ${scope.mode} ${key}`
      await waitForDuplicate(id)
      const run = gates[waitsFor](scope.projectId, () =>
        retryWhileLocked(() => runOnce(scope, key, fingerprint, work)),
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
