import postgres from 'postgres'
import type { Db } from './sql.ts'

/** Where PostgreSQL listens: a URL of the operator's, or the socket of the embedded one. */
export type DatabaseAddress =
  | { url: string }
  | { socketDir: string; port: number; user: string; password: string; database: string }

export type Database = Db &
  AsyncDisposable & {
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
    max: poolSize,
    connect_timeout: 10,
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
    },
  }
  const sql = 'url' in address ? postgres(address.url, options) : postgres(options)

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
    const result = await sql.begin(async (txSql) => {
      const tx: Db = {
        sql: txSql,
        transaction: (inner) => inner(tx),
        afterCommit: (publish) => void publications.push(publish),
      }
      return { value: await work(tx) }
    })
    for (const publish of publications) publish()
    return result.value
  }

  return {
    sql,
    transaction,
    afterCommit: (publish) => publish(),
    async listen(channel, onNotice, onLost) {
      let first = true
      await sql.listen(channel, onNotice, () => {
        if (!first) onLost()
        first = false
      })
    },
    close: (timeoutSeconds) => sql.end({ timeout: timeoutSeconds }),
    [Symbol.asyncDispose]: () => sql.end({ timeout: 5 }),
  }
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

/** Whether the error says that the database cannot be used now, and may be again soon. */
export function isDatabaseAway(error: unknown): boolean {
  const code = errorCode(error)
  return AWAY.has(code) || /^(08|53|57P)/.test(code)
}
