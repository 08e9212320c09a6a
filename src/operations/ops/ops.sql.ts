import type { Db } from '../../platform/db/sql.ts'

/** What `doctor` reads from the database. */
export type Examination = {
  serverVersion: string
  schemaVersion: number
  liveNodes: number
  overdueDeliveries: number
}

/** Reads the state of the installation from the database. */
export async function examineDatabase(db: Db): Promise<Examination> {
  const [row] = await db.system<Examination[]>`
    select current_setting('server_version') as server_version,
      (select coalesce(max(version), 0)::int from schema_version) as schema_version,
      (select count(*) from node where heartbeat_at > clock_timestamp() - interval '6 seconds')
        as live_nodes,
      (select count(*) from delivery where due_at < clock_timestamp() - interval '1 minute')
        as overdue_deliveries`
  if (!row) throw new Error('the examination query returned no row')
  return row
}
