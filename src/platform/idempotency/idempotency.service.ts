import { errorCode } from '../db/database-errors.ts'
import type { Db, Scope } from '../db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createFairGate } from '../../kernel/fair-gate.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { findAnswer, keepAnswer, sweepKeys, takeKey } from './idempotency.sql.ts'

const KEPT_MS = 24 * 3600_000
const WAIT_MS = 30_000
/** Each holds a connection to its end and may need another: together they leave more than half of the pool alone. */
const MOST_AT_ONCE = 4
/** A Project whose network does not answer leaves the others room. */
const MOST_A_PROJECT = 3
const MAX_WAITING = 2000
const LOCK_TIMEOUT = '55P03'

type StoredAnswer = { status: number; body: string }

/** What the room `idempotency` does for the edge. */
export type IdempotencyStore = {
  /**
   * Runs `work` at most once for the key: in a transaction that also keeps its answer. Answers the kept one, and
   * `replayed: true`, when there is one already.
   */
  once(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (tx: Db) => Promise<StoredAnswer>,
  ): Promise<StoredAnswer & { replayed: boolean }>
}

export type IdempotencyService = IdempotencyStore & { sweep(db: Db): Promise<void> }

/** Remembers the first 2xx of each key for 24 hours. Source: contract §2, Idempotency. */
export function createIdempotencyService(deps: { db: Db; clock: Clock }): IdempotencyService {
  const { db, clock } = deps
  const underWay = new Map<string, Promise<unknown>>()
  const gate = createFairGate({
    clock,
    max: MOST_AT_ONCE,
    maxPerKey: MOST_A_PROJECT,
    maxWaiting: MAX_WAITING,
    timeoutMs: WAIT_MS,
  })

  async function carryOut(
    scope: Scope,
    key: string,
    fingerprint: Buffer,
    work: (tx: Db) => Promise<StoredAnswer>,
  ) {
    const now = new Date(clock.now())
    const expiredBefore = new Date(clock.now() - KEPT_MS)
    return db.transaction(async (tx) => {
      if (await takeKey(tx, scope, { key, fingerprint, now, expiredBefore })) {
        const answer = await work(tx)
        await keepAnswer(tx, scope, key, answer)
        return { ...answer, replayed: false }
      }
      const kept = await findAnswer(tx, scope, key, now)
      if (kept?.status == null || kept.body === null) throw stillUnderWay()
      if (!kept.fingerprint.equals(fingerprint)) {
        throw fail('conflict', (say) => say.idempotency.mismatch, {
          reason: 'IDEMPOTENCY_MISMATCH',
        })
      }
      return { status: kept.status, body: kept.body, replayed: true }
    })
  }

  /** Tries again while a twin on another node is under way: nothing has been done that it would repeat. */
  async function outlast<T>(attempt: () => Promise<T>): Promise<T> {
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

  /** A twin on this node waits without holding a connection, which the first may need. */
  async function waitForTwin(id: string): Promise<void> {
    const deadline = clock.monotonic() + WAIT_MS
    for (let twin = underWay.get(id); twin; twin = underWay.get(id)) {
      const left = deadline - clock.monotonic()
      if (left <= 0 || !(await endsWithin(clock, twin, left))) throw stillUnderWay()
    }
  }

  return {
    async once(scope, key, fingerprint, work) {
      const id = `${scope.projectId} ${scope.mode} ${key}`
      await waitForTwin(id)
      const run = gate(scope.projectId, () =>
        outlast(() => carryOut(scope, key, fingerprint, work)),
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
    sweep: (patient) => sweepKeys(patient, new Date(clock.now() - KEPT_MS)),
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
