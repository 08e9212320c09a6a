import type { Database } from '../../src/platform/db/database.ts'

/** Resolves once a statement of this database waits for a lock. */
export async function lockIsAwaited(db: Database): Promise<void> {
  const count = async () => {
    const [row] = await db.system`
      select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    return Number(row?.count)
  }
  while ((await count()) === 0);
}
