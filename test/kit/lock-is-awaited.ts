import type { Database } from '../../src/platform/db/database.ts'

/** Resolves once `most` statements of this database wait for locks. */
export async function locksAreAwaited(db: Database, most: number): Promise<void> {
  const count = async () => {
    const [row] = await db.system`
      select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`
    return Number(row?.count)
  }
  while ((await count()) < most);
}

/** Resolves once a statement of this database waits for a lock. */
export const lockIsAwaited = (db: Database): Promise<void> => locksAreAwaited(db, 1)
