import type postgres from 'postgres'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'

const HELD_SECONDS = 0.3

/**
 * Throws StartFault if a pooler distributes the statements of one connection over several PostgreSQL sessions
 * (PgBouncer with `pool_mode = transaction` or `statement`), because prepared statements, locks and notifications
 * belong to a session. While a second connection keeps its session busy, the first one must stay on its own session.
 */
export async function rejectPooler(one: postgres.Sql, two: postgres.Sql): Promise<void> {
  const session = async (sql: postgres.Sql) => {
    const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`.simple()
    return row?.pid
  }
  const before = await session(one)
  const held = two<{ pid: number }[]>`
    select pg_backend_pid() as pid, pg_sleep(${two.unsafe(String(HELD_SECONDS))})`.simple()
  const [others, after] = [held.then(([row]) => row?.pid), await session(one)]
  if (before !== after || (await others) === before) throw new StartFault(say.start.databasePooled)
}
