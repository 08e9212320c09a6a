import type { Db } from './sql.ts'

/** Resolves when the database responds to a query. */
export async function pingDatabase(db: Db): Promise<void> {
  await db.system`select 1`
}
