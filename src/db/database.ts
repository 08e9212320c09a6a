import postgres from 'postgres'
import { ARRAY_TYPES, type Db } from './sql.ts'

/** Where PostgreSQL listens: a URL of the operator's, or the socket of the embedded one. */
export type DatabaseAddress =
  | { url: string }
  | { socketDir: string; port: number; user: string; password: string; database: string }

export type Database = Db &
  AsyncDisposable & {
    /**
     * One connection of its own, on which statements follow one another and the next waits there already while one
     * is carried out: for those that would wait for each other's locks anyway.
     */
    pipeline: Db
    /** Listens on a channel for as long as the database is open; `onLost` is called when notices may be missing. */
    listen(channel: string, onNotice: (payload: string) => void, onLost: () => void): Promise<void>
    /** Ends the pool; statements under way get `timeoutSeconds` to finish. */
    close(timeoutSeconds: number): Promise<void>
  }

const INT8 = 20

function connectOptions(address: DatabaseAddress): postgres.Options<{}> {
  if ('url' in address) return {}
  return {
    host: address.socketDir,
    path: `${address.socketDir}/.s.PGSQL.${address.port}`,
    user: address.user,
    password: address.password,
    database: address.database,
  }
}

/** Opens a pool. Column names arrive in camelCase, bigint as number, timestamptz as Date. */
export function openDatabase(address: DatabaseAddress, poolSize: number): Database {
  const options: postgres.Options<{}> = {
    ...connectOptions(address),
    connect_timeout: 10,
    // A connection that ends for its age would take the pool with it: see openPool.
    max_lifetime: null,
    connection: {
      application_name: 'recado',
      // Every statement is a look-up by index, planned once a connection: without these a plan made while a table
      // was empty would read all of it for as long as the connection lives (docs/adr/0005).
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
    },
    transform: { column: { from: postgres.toCamel } },
    onnotice: () => {},
    types: {
      bigint: {
        to: INT8,
        from: [INT8],
        serialize: (value: number) => String(value),
        parse: (value: string) => Number(value),
      },
      // The driver learns to write these when its first connection opens, and writes that one's first statement before.
      timestamps: listOf<Date>(ARRAY_TYPES.timestamps, (at) => `"${at.toISOString()}"`),
      booleans: listOf<boolean>(ARRAY_TYPES.booleans, String),
      byteas: listOf<Buffer>(ARRAY_TYPES.byteas, (bytes) => `"\\\\x${bytes.toString('hex')}"`),
    },
  }
  const connect = (more: postgres.Options<{}> = {}) =>
    'url' in address
      ? postgres(address.url, { ...options, ...more })
      : postgres({ ...options, ...more })

  let closing = false
  let pool = openPool(poolSize)
  let single = openPool(1)
  let listener: postgres.Sql | null = null

  /**
   * A pool that is abandoned at the first connection it loses. The driver takes lost connections up again with what
   * was half written on them: statements then wait for ever, or the process dies (porsager/postgres#1066, #1208).
   */
  function openPool(max: number): Pool {
    const sql = connect({ max, onclose: () => abandon(opened) })
    const opened: Pool = { sql, lost: false, waiting: new Set() }
    return opened
  }

  function abandon(lost: Pool): void {
    if (lost.lost || closing) return
    lost.lost = true
    if (lost === pool) pool = openPool(poolSize)
    else single = openPool(1)
    for (const giveUp of lost.waiting) giveUp(connectionLost())
    // Whatever was under way on it is refused; its callers answer 503 or do it again.
    void lost.sql.end({ timeout: 0 })
  }

  async function transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await transactOnce(work)
      } catch (error) {
        // PostgreSQL chose it as the victim of a deadlock: nothing of it happened, so it may be done again.
        if (tries === DEADLOCK_TRIES || !DEADLOCK.has(errorCode(error))) throw error
      }
    }
  }

  async function transactOnce<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const publications: (() => void)[] = []
    const home = pool
    // The driver forgets some of what waits for a connection that is gone.
    const { promise: lost, reject: giveUp } = Promise.withResolvers<never>()
    home.waiting.add(giveUp)
    try {
      const result = await Promise.race([carryOut(work, home, publications), lost])
      for (const publish of publications) publish()
      return result
    } finally {
      home.waiting.delete(giveUp)
    }
  }

  async function carryOut<T>(
    work: (tx: Db) => Promise<T>,
    home: Pool,
    publications: (() => void)[],
  ): Promise<T> {
    const reserved = await home.sql.reserve()
    const sql = whileThere(reserved, home)
    const tx: Db = {
      sql,
      transaction: (inner) => inner(tx),
      afterCommit: (publish) => void publications.push(publish),
    }
    try {
      await sql`begin`
      let result: T
      try {
        result = await work(tx)
      } catch (error) {
        if (!home.lost) await sql`rollback`
        throw error
      }
      // After a statement that failed and was caught, PostgreSQL answers a commit with a rollback.
      const { command } = await sql`commit`
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back')
      return result
    } finally {
      if (!home.lost) reserved.release()
    }
  }

  return {
    get sql() {
      return pool.sql
    },
    transaction,
    afterCommit: (publish) => publish(),
    pipeline: {
      get sql() {
        return single.sql
      },
      transaction,
      afterCommit: (publish) => publish(),
    },
    async listen(channel, onNotice, onLost) {
      let first = true
      listener ??= connect({ max: 1 })
      await listener.listen(channel, onNotice, () => {
        if (!first) onLost()
        first = false
      })
    },
    async close(timeoutSeconds) {
      closing = true
      await Promise.all([
        pool.sql.end({ timeout: timeoutSeconds }),
        single.sql.end({ timeout: timeoutSeconds }),
        listener?.end({ timeout: timeoutSeconds }),
      ])
    },
    [Symbol.asyncDispose]() {
      return this.close(5)
    },
  }
}

/** How an array of this type is written. */
function listOf<Value>(oid: number, write: (value: Value) => string) {
  const serialize = (values: (Value | null)[]) =>
    `{${values.map((value) => (value === null ? 'NULL' : write(value))).join(',')}}`
  return { to: oid, from: [], serialize, parse: (value: unknown) => value }
}

type Pool = {
  sql: postgres.Sql
  lost: boolean
  /** The transactions under way, to be told when it is lost. */
  waiting: Set<(error: Error) => void>
}

const connectionLost = () =>
  Object.assign(new Error('connection lost'), { code: 'CONNECTION_CLOSED' })

/** The connection of a transaction, for as long as it is there: a statement on a lost one is refused by us. */
function whileThere(reserved: postgres.ReservedSql, home: Pool): postgres.ReservedSql {
  return new Proxy(reserved, {
    apply(target, self, args) {
      if (home.lost) throw connectionLost()
      return Reflect.apply(target, self, args)
    },
    get(target, name, receiver) {
      if (home.lost) throw connectionLost()
      return Reflect.get(target, name, receiver)
    },
  })
}

const DEADLOCK = new Set(['40P01', '40001'])
const DEADLOCK_TRIES = 3
const AWAY = new Set([
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  ...DEADLOCK,
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  '25006',
])

/** The code of a database or connection error, or an empty string. */
export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}

/** Whether a statement failed for a value that it was given: the same statement with other values may succeed. */
export function isValueFault(error: unknown): boolean {
  return /^2[23]/.test(errorCode(error))
}

/** Whether the error says that the database cannot be used now, and may be again soon. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error)
  return AWAY.has(code) || /^(08|53|57P)/.test(code)
}
