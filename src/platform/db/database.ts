import type postgres from 'postgres'
import { createSystemClock } from '../../kernel/clock.ts'
import { createDriver, SETTINGS, type DatabaseAddress } from './driver.ts'
import { isTransactionConflict } from './database-errors.ts'
import { connectionLost, watchStatements, failWhenLost, type Pool } from './watched-driver.ts'
import { holdLock } from './hold-lock.ts'
import { IDLE_LIMITS_MS } from './idle-limits.ts'
import { rejectPooler } from './reject-pooler.ts'
import { tagsOf, type Db } from './sql.ts'
import { createStatementWatch } from './statement-watch.ts'

/** The connection pools of the database. */
export type Database = Db &
  AsyncDisposable & {
    /**
     * A single connection with pipelining, where the next statement is sent before the previous one has finished: for
     * statements that would otherwise wait for each other's locks.
     */
    pipeline: Db
    /** Number of connections for requests. */
    poolSize: number
    /** For the server's own statements that may take minutes, such as sweeps and exports. */
    patient: Db
    /** A connection of its own for what must not wait for other work: the heartbeat and the health check. */
    vital: Db
    /** Runs `work` on a dedicated connection without statement timeouts, for migrations. */
    session<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T>
    /** Sets the observer of statements and pools, for metrics. */
    observe(observer: DatabaseObserver): void
    /** Throws StartFault when a connection pooler multiplexes sessions between this process and PostgreSQL. */
    rejectPooler(): Promise<void>
    /**
     * Holds an advisory lock on a dedicated connection until it is released, as a sign that this process is connected.
     * Reconnects when the connection is lost.
     */
    holdAdvisoryLock(lock: [number, number]): { release(): Promise<void> }
    /**
     * Listens on a channel until the database is closed. `onLost` is called after a reconnect, when notifications may
     * have been missed.
     */
    listen(channel: string, onNotice: (payload: string) => void, onLost: () => void): Promise<void>
    /**
     * Replaces all connections and fails the statements in progress, at most once every ten seconds. For unhandled
     * errors.
     */
    reset(): void
    /** Closes all connections; statements in progress have `timeoutSeconds` to finish. */
    close(timeoutSeconds: number): Promise<void>
  }

type DatabaseObserver = {
  /** A statement finished after this many seconds. */
  statement(seconds: number): void
  /** A pool was abandoned because of a lost or stalled connection, and replaced. */
  poolLost(): void
}

const PATIENT_POOL = 2
const RESET_EVERY_MS = 10_000
const MAX_TRANSACTION_ATTEMPTS = 3
/**
 * Statement timeouts, and the time without a response after which the connection is abandoned. The latter is longer
 * because a reachable PostgreSQL reports its own timeout first.
 */
const DEADLINES = {
  ordinary: { statementMs: 4500, stalledAfterMs: 6000 },
  patient: { statementMs: 600_000, stalledAfterMs: 605_000 },
}
/** Real time, because the database does not slow down when a test stops its clock. */
const clock = createSystemClock()

/** Gives the statements of a transaction their time, whatever timeouts the database has because of a pooler. */
async function setPatience(tx: Db): Promise<void> {
  await tx.system`
    select set_config('statement_timeout', ${String(DEADLINES.patient.statementMs)}, true),
      set_config('idle_in_transaction_session_timeout', ${String(IDLE_LIMITS_MS.patient)}, true)`
}

/** Opens the pools. Rows have camelCase columns, with bigint as number and timestamptz as Date. */
export function openDatabase(
  address: DatabaseAddress,
  poolSize: number,
  /** The statement timeouts of `sql` and `pipeline`. */
  deadlines: keyof typeof DEADLINES = 'ordinary',
): Database {
  const connect = createDriver(address)
  let observer: DatabaseObserver = { statement: () => {}, poolLost: () => {} }
  let closing = false
  let resetAt = -Infinity
  const sizes = { pool: poolSize, single: 1, patient: PATIENT_POOL, vital: 1 }
  type Name = keyof typeof sizes
  const pools = {
    pool: openPool('pool'),
    single: openPool('single'),
    patient: openPool('patient'),
    vital: openPool('vital'),
  }
  let listener: postgres.Sql | null = null

  /**
   * Opens a pool that is abandoned when it loses its first connection. The driver reuses lost connections together with
   * partially written data: statements then hang, or the process crashes (porsager/postgres#1066, #1208).
   */
  function openPool(name: Name): Pool {
    const patience = name === 'patient' ? 'patient' : deadlines
    const { statementMs, stalledAfterMs } = DEADLINES[patience]
    const sql = connect({
      max: sizes[name],
      onclose: () => abandon(opened),
      connection: {
        ...SETTINGS,
        statement_timeout: statementMs,
        idle_in_transaction_session_timeout: IDLE_LIMITS_MS[patience],
      },
    })
    const watch = createStatementWatch({
      clock,
      deadlineMs: stalledAfterMs,
      onStalled: abandonAll,
      onFinished: (ms) => observer.statement(ms / 1e3),
    })
    const driver = watchStatements(sql, watch)
    const opened: Pool = {
      name,
      sql: driver,
      tags: tagsOf(driver),
      watch,
      lost: false,
      rejectPending: new Set(),
    }
    return opened
  }

  function abandon(lost: Pool): void {
    if (lost.lost || closing) return
    lost.lost = true
    observer.poolLost()
    lost.watch.stop()
    pools[lost.name] = openPool(lost.name)
    for (const giveUp of lost.rejectPending) giveUp(connectionLost())
    // Statements in progress are rejected; their callers respond with 503 or retry.
    void lost.sql.end({ timeout: 0 })
  }

  function abandonAll(): void {
    for (const pool of Object.values(pools)) abandon(pool)
  }

  async function transaction<T>(name: Name, work: (tx: Db) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await transactOnce(name, work)
      } catch (error) {
        if (tries === MAX_TRANSACTION_ATTEMPTS || !isTransactionConflict(error)) throw error
      }
    }
  }

  async function transactOnce<T>(name: Name, work: (tx: Db) => Promise<T>): Promise<T> {
    const publications: (() => void)[] = []
    const homePool = pools[name]
    // The driver drops some queries that wait for a lost connection without rejecting them.
    const { promise: lost, reject: rejectLost } = Promise.withResolvers<never>()
    homePool.rejectPending.add(rejectLost)
    try {
      const result = await Promise.race([runTransaction(work, homePool, publications), lost])
      for (const publish of publications) publish()
      return result
    } finally {
      homePool.rejectPending.delete(rejectLost)
    }
  }

  function runTransaction<T>(
    work: (tx: Db) => Promise<T>,
    home: Pool,
    publications: (() => void)[],
  ): Promise<T> {
    // A promise that never settles keeps the driver from ending a transaction on a lost connection.
    const never = () => new Promise<never>(() => {})
    return home.sql.begin(async (connection) => {
      const tx: Db = {
        ...tagsOf(failWhenLost(connection, home)),
        transaction: (inner) => inner(tx),
        afterCommit: (publish) => void publications.push(publish),
      }
      try {
        if (home.name === 'patient' || deadlines === 'patient') await setPatience(tx)
        const result = await work(tx)
        return home.lost ? await never() : result
      } catch (error) {
        if (home.lost) return never()
        throw error
      }
    }) as Promise<T>
  }

  /** Statements run on pool `name`, transactions on pool `transactions`. */
  const dbOf = (name: Name, transactions: Name): Db => ({
    get sql() {
      return pools[name].tags.sql
    },
    get scoped() {
      return pools[name].tags.scoped
    },
    get system() {
      return pools[name].tags.system
    },
    transaction: (work) => transaction(transactions, work),
    afterCommit: (publish) => publish(),
  })

  const ordinary = dbOf('pool', 'pool')
  return {
    get sql() {
      return ordinary.sql
    },
    get scoped() {
      return ordinary.scoped
    },
    get system() {
      return ordinary.system
    },
    transaction: ordinary.transaction,
    afterCommit: ordinary.afterCommit,
    poolSize,
    pipeline: dbOf('single', 'pool'),
    patient: dbOf('patient', 'patient'),
    vital: dbOf('vital', 'vital'),
    async session(work) {
      const sql = connect({ max: 1, connection: { application_name: 'recado' } })
      try {
        // Behind a pooler, the database itself may have timeouts.
        await sql`
          select set_config('statement_timeout', '0', false),
            set_config('idle_in_transaction_session_timeout', '0', false)`
        return await work(sql)
      } finally {
        await sql.end({ timeout: 1 })
      }
    },
    async rejectPooler() {
      const probe = () =>
        connect({ max: 1, prepare: false, connection: { application_name: 'recado' } })
      const pair = [probe(), probe()] as const
      try {
        await rejectPooler(...pair)
      } finally {
        await Promise.all(pair.map((sql) => sql.end({ timeout: 1 })))
      }
    },
    observe: (given) => void (observer = given),
    holdAdvisoryLock: (lock) => holdLock(connect, lock),
    async listen(channel, onNotice, onLost) {
      let first = true
      listener ??= connect({ max: 1 })
      await listener.listen(channel, onNotice, () => {
        if (!first) onLost()
        first = false
      })
    },
    reset() {
      // A caller that can trigger an error repeatedly must not keep failing the statements of all others.
      if (clock.monotonic() - resetAt < RESET_EVERY_MS) return
      resetAt = clock.monotonic()
      abandonAll()
    },
    async close(timeoutSeconds) {
      closing = true
      const all = Object.values(pools)
      await Promise.all([
        ...all.map(({ sql }) => sql.end({ timeout: timeoutSeconds })),
        listener?.end({ timeout: timeoutSeconds }),
      ])
      for (const { watch } of all) watch.stop()
    },
    [Symbol.asyncDispose]() {
      return this.close(5)
    },
  }
}
