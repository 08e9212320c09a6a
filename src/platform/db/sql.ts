import type postgres from 'postgres'

/** A connection pool or the one connection of a transaction. */
type Sql = postgres.Sql | postgres.TransactionSql

/** A piece of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>

/**
 * The database as every verb and statement receives it, first argument. Inside a transaction the same type
 * stands for the transaction, so a verb need not know whether it has one of its own.
 */
export type Db = {
  sql: Sql
  /** Runs `work` in a transaction; inside one, joins it. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Calls `publish` once what was written is committed; at once outside a transaction. */
  afterCommit(publish: () => void): void
}

/** Whose rows a statement may touch. `keyId` names the API key whose rights are checked in the same statement. */
export type Scope = {
  projectId: string
  mode: 'test' | 'production'
  keyId: string | null
}

/**
 * The guard of every scoped statement: raises when the key was revoked, has expired, or its Project may not be
 * used. It names no column, so PostgreSQL evaluates it once, before the first row, even when there is none.
 */
export function granted(db: Db, scope: Scope, now: Date) {
  return db.sql`access_granted(${scope.keyId}, ${now})`
}

/** A fragment that restricts a statement to the scope's rows and checks its key. */
export function within(db: Db, scope: Scope, now: Date) {
  return db.sql`${granted(db, scope, now)} and project_id = ${scope.projectId} and mode = ${scope.mode}`
}

/**
 * `limit` as a number in the text of the statement, for the plan: of a parameter PostgreSQL assumes a tenth of the table, and
 * then reads and sorts it. Few different texts: the next step above what is wanted, which the statement around it cuts.
 */
export function atMost(db: Db, rows: number): Fragment {
  const step = [256, 2048, 8192, 32_768].find((known) => rows <= known)
  return step ? db.sql.unsafe(`limit ${step}`) : db.sql``
}

/** A pattern of `like` for texts that hold these words as they are. */
export const containing = (words: string): string => `%${words.replace(/[\\%_]/g, '\\$&')}%`

/** Rows that are found by `q`, a part of their name or telephone, without regard to accents and case. */
export function foundBy(db: Db, q: string): Fragment {
  return db.sql`search_text like fold_text(${containing(q)})`
}

/*
 * The driver takes the type of an array from its first value, which is wrong for lists of dates, booleans and
 * bytes: these say it. database.ts tells how they are written.
 */
const ARRAY_TYPES = { timestamps: 1185, booleans: 1000, byteas: 1001 }
export const timestamps = (db: Db, values: (Date | null)[]) =>
  db.sql.typed(values, ARRAY_TYPES.timestamps)
export const booleans = (db: Db, values: boolean[]) => db.sql.typed(values, ARRAY_TYPES.booleans)
export const byteas = (db: Db, values: (Buffer | null)[]) =>
  db.sql.typed(values, ARRAY_TYPES.byteas)
