import type postgres from 'postgres'
import type { StatementWatch } from './statement-watch.ts'
import type { tagsOf } from './sql.ts'

/** Wraps the driver so that every statement it creates is watched. */
export function watchStatements(sql: postgres.Sql, { watch }: StatementWatch): postgres.Sql {
  return new Proxy(sql, {
    apply: (target, self, args) => watch(Reflect.apply(target, self, args) as unknown),
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (name === 'unsafe') {
        return (...args: Parameters<typeof target.unsafe>) => watch(target.unsafe(...args))
      }
      return value
    },
  })
}

/** A connection pool, used until one of its connections is lost. */
export type Pool = {
  name: 'pool' | 'single' | 'patient' | 'vital'
  sql: postgres.Sql
  /** The same driver, typed by what a statement may do. */
  tags: ReturnType<typeof tagsOf>
  watch: StatementWatch
  lost: boolean
  /** The callbacks that reject the transactions in progress when the pool is lost. */
  rejectPending: Set<(error: Error) => void>
}

/** The error for a statement on a lost connection. */
export const connectionLost = () =>
  Object.assign(new Error('connection lost'), { code: 'CONNECTION_CLOSED' })

/**
 * Wraps the connection of a transaction so that statements fail with `connectionLost` once its pool is lost, without
 * reaching the driver.
 */
export function failWhenLost(
  connection: postgres.TransactionSql,
  home: Pool,
): postgres.TransactionSql {
  return new Proxy(connection, {
    apply(target, self, args) {
      if (home.lost) throw connectionLost()
      return home.watch.watch(Reflect.apply(target, self, args) as unknown)
    },
    get(target, name, receiver) {
      if (home.lost) throw connectionLost()
      const value: unknown = Reflect.get(target, name, receiver)
      if (name !== 'unsafe') return value
      return (...args: Parameters<typeof target.unsafe>) => home.watch.watch(target.unsafe(...args))
    },
  })
}
