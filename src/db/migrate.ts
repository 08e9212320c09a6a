import { fileURLToPath } from 'node:url'
import Postgrator from 'postgrator'
import postgres from 'postgres'
import { StartFault } from '../phrases/fail.ts'
import { say } from '../phrases/phrases.ts'
import { errorCode } from './database-errors.ts'
import type { Db } from './sql.ts'

const MIGRATIONS = fileURLToPath(new URL('../../migrations/*.sql', import.meta.url))
/** Any number will do, as long as every node takes the same one. */
const MIGRATION_LOCK = 7_261_344
const OLDEST_SERVER = 150_000

/**
 * Brings the schema up to date, one node at a time, and answers the versions it applied.
 * Throws StartFault when the server is unreachable or too old, or a migration fails.
 */
export async function migrate(db: Db): Promise<number[]> {
  await refuseOldServer(db)
  return db.transaction(async (tx) => {
    await tx.sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`
    const postgrator = new Postgrator({
      driver: 'pg',
      migrationPattern: MIGRATIONS,
      schemaTable: 'schema_version',
      execQuery: async (query: string) => ({ rows: await plainRows(tx, query) }),
      execSqlScript: async (script: string) => void (await tx.sql.unsafe(script).simple()),
    })
    try {
      const applied = await postgrator.migrate()
      return applied.map((migration) => migration.version)
    } catch (error) {
      throw new StartFault(say.start.migrationFailed(describe(error)), error)
    }
  })
}

/** Rows under PostgreSQL's own column names, which the library looks for. */
async function plainRows(db: Db, query: string): Promise<Record<string, unknown>[]> {
  const rows = await db.sql.unsafe(query).simple()
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row as object).map(([name, value]) => [postgres.fromCamel(name), value]),
    ),
  )
}

async function refuseOldServer(db: Db): Promise<void> {
  try {
    const [row] = await db.sql<{ number: number; version: string }[]>`
      select current_setting('server_version_num')::int as number,
             current_setting('server_version') as version`
    if (row && row.number < OLDEST_SERVER) throw new StartFault(say.start.databaseOld(row.version))
  } catch (error) {
    if (error instanceof StartFault) throw error
    throw new StartFault(say.start.databaseUnreachable(describe(error)), error)
  }
}

/** Says what went wrong without the address, which may hold a password. */
function describe(error: unknown): string {
  const code = errorCode(error)
  const message = error instanceof Error ? error.message.split('\n')[0] : ''
  return code && !message?.includes('@') ? `${code}: ${message}` : code || 'erro desconhecido'
}
