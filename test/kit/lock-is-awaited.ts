import type { Database } from '../../src/platform/db/database.ts'

/** Resolves once `most` statements of this database, which contain `words`, wait for locks. */
export async function locksAreAwaited(db: Database, most: number, words = ''): Promise<void> {
  const count = async () => {
    const [row] = await db.system`
      select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()
        and strpos(query, ${words}) > 0`
    return Number(row?.count)
  }
  while ((await count()) < most);
}

/** Resolves once a statement of this database, one that contains `words` if given, waits for a lock. */
export const lockIsAwaited = (db: Database, words = ''): Promise<void> =>
  locksAreAwaited(db, 1, words)
