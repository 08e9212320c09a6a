import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Postgrator from 'postgrator'
import postgres from 'postgres'
import { createSystemClock, delay } from '../../kernel/clock.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import type { Database } from './database.ts'
import { describeError, isTransactionConflict, isLockTimeout } from './database-errors.ts'
import { readSteps, type Step } from './migration-steps.ts'

/** The folder of the migrations, one file per module of the server and one per later change. */
export const MIGRATIONS = fileURLToPath(new URL('../../../migrations/', import.meta.url))
const VERSIONS = 'schema_version'
/** Arbitrary, but the same for every node. */
const MIGRATION_LOCK = 7_261_344
const MIN_SERVER_VERSION = 150_000
/** How long a node waits for another node to finish migrating. */
const WAIT_FOR_LOCK_MS = 1_800_000
const LOCK_POLL_MS = 500
/**
 * A migration that waits for a table lock blocks every statement queued behind it, so it times out quickly and retries.
 * The timeout is shorter than PostgreSQL's deadlock_timeout of one second, so that in a deadlock the migration is the
 * one to fail, never a request.
 */
const LOCK_TIMEOUT_MS = 200
const RETRY_INTERVAL_MS = 500
const MAX_ATTEMPTS = 600
const BATCH_PAUSE_MS = 5
const clock = createSystemClock()

/**
 * Migrates the schema to the current version while other nodes use it, and returns the versions applied. One node at a
 * time applies one migration at a time, each in its own transaction or, if the file says so, step by step. Throws
 * StartFault when the server is unreachable or too old, the schema requires a newer Recado, or a migration fails.
 *
 * @param to the last version to apply; all by default. For upgrade tests.
 */
export async function migrate(
  database: Database,
  { to = Infinity, folder = MIGRATIONS }: { to?: number; folder?: string } = {},
): Promise<number[]> {
  await refuseOldServer(database)
  try {
    return await database.session((sql) => migrateOn(sql, to, folder))
  } catch (error) {
    if (error instanceof StartFault) throw error
    throw new StartFault(say.start.migrationFailed(describeError(error)), error)
  }
}

/** What `migrate` would do: the versions of the database and of this program, and the migrations between them. */
export type MigrationPlan = {
  database: number
  program: number
  pending: {
    version: number
    name: string
    /** The kinds of its steps, each committed separately; null for a migration that runs in one transaction. */
    steps: Step['kind'][] | null
  }[]
}

/** Returns what `migrate` would do, and changes nothing. Throws StartFault where `migrate` would refuse to start. */
export async function planMigrations(
  database: Database,
  { folder = MIGRATIONS }: { folder?: string } = {},
): Promise<MigrationPlan> {
  await refuseOldServer(database)
  return database.session(async (sql) => {
    const { postgrator, known, version } = await openMigrations(sql, folder)
    const pending = version < known ? postgrator.getRunnableMigrations(version, known) : []
    return {
      database: version,
      program: known,
      pending: pending.map((migration) => ({
        version: migration.version,
        name: migration.name,
        steps: readSteps(migration.getSql())?.map(({ kind }) => kind) ?? null,
      })),
    }
  })
}

/** The newest version that this program can migrate to. */
export function newestMigration(): number {
  return Math.max(...readdirSync(MIGRATIONS).map((file) => parseInt(file, 10)))
}

/** Reads the migrations and the versions of this program (`known`) and of the database. Throws for a wrong schema. */
async function openMigrations(sql: postgres.Sql, folder: string) {
  const postgrator = new Postgrator({
    driver: 'pg',
    migrationPattern: join(folder, '*.sql'),
    schemaTable: VERSIONS,
    execQuery: async (query: string) => ({ rows: await plainRows(sql, query) }),
    execSqlScript: async (script: string) => void (await sql.unsafe(script).simple()),
  })
  const first = (await postgrator.getMigrations()).find(({ version }) => version === 1)
  await refuseEarlierSchema(sql, first)
  const known = await postgrator.getMaxVersion()
  const version = await postgrator.getDatabaseVersion()
  if (version > known) await refuseNewerSchema(sql, known)
  return { postgrator, known, version }
}

async function migrateOn(sql: postgres.Sql, to: number, folder: string): Promise<number[]> {
  const { postgrator, known, version } = await openMigrations(sql, folder)
  if (version >= Math.min(known, to)) return []

  await waitForLock(sql)
  // Creates the version table, with all its columns at once: other nodes read it before they have the lock.
  await inTransaction(sql, () => postgrator.migrate('0'))
  const current = await postgrator.getDatabaseVersion()
  await postgrator.validateMigrations(current)
  await dropUnfinishedIndexes(sql)
  const pending = postgrator.getRunnableMigrations(current, Math.min(known, to))
  for (const migration of pending) {
    const steps = readSteps(migration.getSql())
    for (const step of steps ?? []) await runStep(sql, step)
    // The steps have already run; only the version remains to be stored.
    const stored = steps ? { ...migration, getSql: () => 'select 1' } : migration
    await inTransaction(sql, () => postgrator.runMigrations([stored]))
  }
  return pending.map((migration) => migration.version)
}

async function runStep(sql: postgres.Sql, step: Step): Promise<void> {
  if (step.kind === 'alone') {
    await sql.unsafe(step.statement).simple()
    return
  }
  for (;;) {
    const { count } = await inTransaction(sql, () => sql.unsafe(step.statement).simple())
    if (step.kind === 'once' || count === 0) return
    await delay(clock, BATCH_PAUSE_MS)
  }
}

/** Runs `work` in a transaction, retrying while other transactions hold the locks it needs. */
async function inTransaction<T>(sql: postgres.Sql, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    await ensureLock(sql)
    try {
      await sql.unsafe(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}`).simple()
      const result = await work()
      await sql.unsafe('commit').simple()
      return result
    } catch (error) {
      await sql.unsafe('rollback').simple()
      const busy = isLockTimeout(error) || isTransactionConflict(error)
      if (!busy || tries === MAX_ATTEMPTS) throw error
      await delay(clock, RETRY_INTERVAL_MS)
    }
  }
}

/**
 * Polls for the lock: `create index concurrently` on the node that holds it would wait for a statement that blocks on
 * it.
 */
async function waitForLock(sql: postgres.Sql): Promise<void> {
  const until = clock.monotonic() + WAIT_FOR_LOCK_MS
  while (!(await tryLock(sql))) {
    if (clock.monotonic() > until) throw new StartFault(say.start.migrationBusy)
    await delay(clock, LOCK_POLL_MS)
  }
}

/** The lock belongs to the connection, which the driver may have replaced. */
async function ensureLock(sql: postgres.Sql): Promise<void> {
  if (!(await tryLock(sql)))
    throw new Error(`cannot continue migrating: another node holds advisory lock ${MIGRATION_LOCK}`)
}

async function tryLock(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<
    { taken: boolean }[]
  >`select pg_try_advisory_lock(${MIGRATION_LOCK}) as taken`
  return row?.taken ?? false
}

/**
 * A failed `create index concurrently` leaves an invalid index behind. Indexes of an operator's concurrent reindex are
 * kept.
 */
async function dropUnfinishedIndexes(sql: postgres.Sql): Promise<void> {
  const unfinished = await sql<{ name: string }[]>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relnamespace = current_schema()::regnamespace
      and c.relkind = 'i' and c.relname !~ '_cc(new|old)[0-9]*$'`
  for (const { name } of unfinished) await sql`drop index concurrently if exists ${sql(name)}`
}

/** Rejects a database from before the first release, whose first migration was another one. */
async function refuseEarlierSchema(sql: postgres.Sql, first?: { md5: string }): Promise<void> {
  const [versions] = await sql<{ exist: boolean }[]>`
    select to_regclass(${VERSIONS}) is not null as exist`
  if (!versions?.exist) return
  const [applied] = await sql<{ md5: string }[]>`select md5 from ${sql(VERSIONS)} where version = 1`
  if (applied && applied.md5 !== first?.md5) throw new StartFault(say.start.databaseEarlier)
}

/** A schema may be newer than this program, as long as nothing that the program uses is gone. */
async function refuseNewerSchema(sql: postgres.Sql, known: number): Promise<void> {
  const [row] = await sql<{ needs: number }[]>`select needs from schema_compatibility`
  if (row && row.needs > known) throw new StartFault(say.start.databaseNewer)
}

/** Returns rows with PostgreSQL's own column names, which Postgrator expects. */
async function plainRows(sql: postgres.Sql, query: string): Promise<Record<string, unknown>[]> {
  const rows = await sql.unsafe(query).simple()
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row as object).map(([name, value]) => [postgres.fromCamel(name), value]),
    ),
  )
}

async function refuseOldServer({ system }: Database): Promise<void> {
  try {
    const [row] = await system<{ number: number; version: string }[]>`
      select current_setting('server_version_num')::int as number,
             current_setting('server_version') as version`
    if (row && row.number < MIN_SERVER_VERSION)
      throw new StartFault(say.start.databaseOld(row.version))
  } catch (error) {
    if (error instanceof StartFault) throw error
    throw new StartFault(say.start.databaseUnreachable(describeError(error)), error)
  }
}
