import type postgres from 'postgres'

declare const FRAGMENT: unique symbol
declare const SCOPE: unique symbol

/** A fragment of a statement. It is not a promise: only whole statements run. */
export type Fragment = { readonly [FRAGMENT]: true }
/** A fragment that restricts a statement to one Project and mode: from the functions below, or containing one. */
export type ScopeFragment = Fragment & { readonly [SCOPE]: true }

type Value = postgres.ParameterOrFragment<number> | Fragment | readonly Fragment[]
/** Statement parameters, one of the first of which is a scope. */
type ScopedValues =
  | [ScopeFragment, ...Value[]]
  | [Value, ScopeFragment, ...Value[]]
  | [Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [Value, Value, Value, Value, Value, Value, Value, Value, Value, ScopeFragment, ...Value[]]
  | [
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      ScopeFragment,
      ...Value[],
    ]
  | [
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      Value,
      ScopeFragment,
      ...Value[],
    ]

type Rows = readonly (object | undefined)[]
/** Runs a statement on behalf of a Project. It does not compile without a scope among its values. */
type ScopedTag = <T extends Rows = postgres.Row[]>(
  template: TemplateStringsArray,
  ...values: ScopedValues
) => postgres.PendingQuery<T>
/**
 * Runs a statement without a scope: for sign-in, workers, operators and clean-up, or on rows that the caller has
 * already selected within a scope.
 */
type SystemTag = {
  <T extends Rows = postgres.Row[]>(
    template: TemplateStringsArray,
    ...values: Value[]
  ): postgres.PendingQuery<T>
  /** Runs raw SQL text. Never pass text that comes from a caller. */
  unsafe(text: string): postgres.PendingQuery<postgres.Row[]>
}
/** Creates fragments of statements, and values whose type must be declared. */
type FragmentTag = Pick<postgres.Sql, 'json' | 'typed'> & {
  (template: TemplateStringsArray, ...values: ScopedValues): ScopeFragment
  (template: TemplateStringsArray, ...values: Value[]): Fragment
  /** Identifiers, or the columns and rows of an insert. */
  (names: string | string[]): Fragment
  (row: object | readonly object[], ...columns: string[]): Fragment
  /** Raw SQL text inside a statement. Never pass text that comes from a caller. */
  unsafe(text: string): Fragment
}

/**
 * The database, the first argument of every service function and statement. The same type represents a transaction
 * inside one, so a function need not know whether it is in one.
 */
export type Db = {
  sql: FragmentTag
  scoped: ScopedTag
  system: SystemTag
  /** Runs `work` in a transaction; inside one, joins it. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>
  /** Calls `publish` after the transaction commits; immediately outside a transaction. */
  afterCommit(publish: () => void): void
}

/** The tags of a connection or pool: one function of the driver, typed by what a statement may do. */
export function tagsOf(
  sql: postgres.Sql | postgres.TransactionSql,
): Pick<Db, 'sql' | 'scoped' | 'system'> {
  const tag = sql as unknown
  return { sql: tag as FragmentTag, scoped: tag as ScopedTag, system: tag as SystemTag }
}

/** Whose rows a statement may touch. `keyId` names the API key whose rights are checked in the same statement. */
export type Scope = {
  projectId: string
  mode: 'test' | 'production'
  keyId: string | null
  /** The signed-in member who acts, if one does. */
  userId?: string
}

/** Marks a fragment as a restriction to the scope. */
const scoping = (fragment: Fragment) => fragment as ScopeFragment

/**
 * The guard of every scoped statement: raises an error when the key was revoked or has expired, or its Project is not
 * active. It references no column, so PostgreSQL evaluates it once before the first row, even if there are no rows.
 */
export function accessGranted(db: Db, scope: Scope, now: Date): Fragment {
  return db.sql`access_granted(${scope.keyId}, ${now})`
}

/**
 * The ids of the Projects that are moving to another installation, as an array that a statement reads once. Workers
 * skip their rows (G100); statements of an API key are refused by `access_granted`, those of a user by the
 * authenticator.
 */
export const movingProjects = (db: Db): Fragment => db.sql`
  array(select id from project where moving_until is not null and moving_until > now())`

/** Restricts a statement to the scope's rows, of the table with this alias, and checks its key. */
export function scopedTo(db: Db, scope: Scope, now: Date, alias?: string): ScopeFragment {
  return db.sql`${accessGranted(db, scope, now)} and ${ownedBy(db, scope, alias)}`
}

/** Restricts a statement to the scope's rows, of the table with this alias, without checking its key. */
export function ownedBy(
  db: Db,
  scope: Pick<Scope, 'projectId' | 'mode'>,
  alias?: string,
): ScopeFragment {
  const table = alias ? db.sql`${db.sql(alias)}.` : db.sql``
  return scoping(db.sql`${table}project_id = ${scope.projectId} and ${table}mode = ${scope.mode}`)
}

/** The Project and mode of a new row, in this order. */
export function ownerOf(db: Db, scope: Pick<Scope, 'projectId' | 'mode'>): ScopeFragment {
  return scoping(db.sql`${scope.projectId}, ${scope.mode}`)
}

/** The Project itself, as the id of a row. */
export function projectOf(db: Db, scope: Pick<Scope, 'projectId'>): ScopeFragment {
  return scoping(db.sql`${scope.projectId}`)
}

/**
 * A `limit` written into the statement's text: for a parameter PostgreSQL would assume a tenth of the table, and plan
 * to read and sort it. To keep the number of distinct statements small, the limit is rounded up to a step; the
 * enclosing statement applies the exact one.
 */
export function limitLiteral(db: Db, rows: number): Fragment {
  const step = [256, 2048, 8192, 32_768].find((known) => rows <= known)
  return step ? db.sql.unsafe(`limit ${step}`) : db.sql``
}

/** A `like` pattern that matches texts containing these words literally. */
export const likePattern = (words: string): string => `%${words.replace(/[\\%_]/g, '\\$&')}%`

/** Restricts a statement to rows whose name or phone number contains `q`, ignoring accents and case. */
export function matches(db: Db, q: string): Fragment {
  return db.sql`search_text like fold_text(${likePattern(q)})`
}

/*
 * The driver infers the type of an array from its first value, which is wrong for dates, booleans and bytes, so these
 * functions declare it. array-types.ts serializes the values.
 */
const ARRAY_TYPES = { timestamps: 1185, booleans: 1000, byteas: 1001 }
/** An array parameter of timestamps. */
export const timestamps = (db: Db, values: (Date | null)[]) =>
  db.sql.typed(values, ARRAY_TYPES.timestamps)
/** An array parameter of booleans. */
export const booleans = (db: Db, values: boolean[]) => db.sql.typed(values, ARRAY_TYPES.booleans)
/** An array parameter of byte strings. */
export const byteas = (db: Db, values: (Buffer | null)[]) =>
  db.sql.typed(values, ARRAY_TYPES.byteas)

/** A dedicated connection, for statements that no other type of this file can express: COPY, sequences and settings. */
export type Session = postgres.Sql | postgres.TransactionSql

/** The handle of a transaction that was begun on a dedicated connection; its caller commits. */
export function dbOfTransaction(sql: Session): Db {
  const db: Db = {
    ...tagsOf(sql),
    transaction: (work) => work(db),
    afterCommit: (publish) => publish(),
  }
  return db
}
