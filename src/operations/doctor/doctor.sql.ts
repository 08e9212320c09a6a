import type { Db } from '../../platform/db/sql.ts'

/** What the doctor reads from the database. */
export type Examination = {
  serverVersion: string
  /** As in 180001. */
  serverVersionNumber: number
  /** Milliseconds since 1970. */
  now: number
  maxConnections: number
  schemaVersion: number
  liveNodes: number
  overdueDeliveries: number
  /** Settings that risk losing committed transactions or filling the disk, as `name = value`. */
  unsafeSettings: string[]
}

/** Reads the state of the installation from the database. */
export async function examineDatabase(db: Db): Promise<Examination> {
  const [row] = await db.system<Examination[]>`
    select current_setting('server_version') as server_version,
      current_setting('server_version_num')::int as server_version_number,
      (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
        as max_connections,
      (select coalesce(max(version), 0)::int from schema_version) as schema_version,
      (select count(*) from node where heartbeat_at > clock_timestamp() - interval '6 seconds')
        as live_nodes,
      (select count(*) from delivery where due_at < clock_timestamp() - interval '1 minute')
        as overdue_deliveries,
      (select coalesce(array_agg(name || ' = ' || setting order by name), '{}') from pg_settings
        where (name, setting) in (('fsync', 'off'), ('full_page_writes', 'off'), ('synchronous_commit', 'off'),
            ('autovacuum', 'off'))
          or (name = 'server_encoding' and setting <> 'UTF8')) as unsafe_settings`
  if (!row) throw new Error('the examination query returned no row')
  return row
}
