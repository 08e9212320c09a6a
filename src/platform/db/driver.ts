import postgres from 'postgres'
import { arrayTypes } from './array-types.ts'

/** Where PostgreSQL listens: the operator's URL, or the socket of the embedded server. */
export type DatabaseAddress =
  | { url: string }
  | { socketDir: string; port: number; user: string; password: string; database: string }

const INT8 = 20
const CONNECT_SECONDS = 5
/** Session settings of every connection. */
export const SETTINGS = {
  application_name: 'recado',
  // Every statement is an index lookup, planned once per connection. Without these settings, a plan made while a
  // table was empty would scan the whole table for the lifetime of the connection (docs/adr/0005).
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
}

function connectOptions(address: DatabaseAddress): postgres.Options<{}> {
  if ('url' in address) return {}
  return {
    host: address.socketDir,
    path: `${address.socketDir}/.s.PGSQL.${address.port}`,
    user: address.user,
    password: address.password,
    database: address.database,
  }
}

/**
 * Returns a function that opens pools of the driver. Rows have camelCase columns, with bigint as number and timestamptz as
 * Date.
 *
 * @param address where PostgreSQL listens
 */
export function createDriver(
  address: DatabaseAddress,
): (more?: postgres.Options<{}>) => postgres.Sql {
  const options: postgres.Options<{}> = {
    ...connectOptions(address),
    connect_timeout: CONNECT_SECONDS,
    // See arrayTypes.
    fetch_types: false,
    // The end of a connection by age would make openPool abandon the whole pool.
    max_lifetime: null,
    connection: SETTINGS,
    transform: { column: { from: postgres.toCamel } },
    onnotice: () => {},
    types: {
      bigint: {
        to: INT8,
        from: [INT8],
        serialize: (value: number) => String(value),
        parse: (value: string) => Number(value),
      },
      ...arrayTypes,
    },
  }
  return (more = {}) =>
    'url' in address
      ? postgres(address.url, { ...options, ...more })
      : postgres({ ...options, ...more })
}
