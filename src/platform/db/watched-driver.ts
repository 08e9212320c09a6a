import type postgres from 'postgres'
import type { StatementWatch } from './statement-watch.ts'
import type { tagsOf } from './sql.ts'

/** The driver, with every statement that it makes watched. */
export function watched(sql: postgres.Sql, { watch }: StatementWatch): postgres.Sql {
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

/** The connections of one kind, until one of them is lost. */
export type Pool = {
  name: 'pool' | 'single' | 'patient'
  sql: postgres.Sql
  /** The same driver, typed by what a statement may do. */
  tags: ReturnType<typeof tagsOf>
  watch: StatementWatch
  lost: boolean
  /** The transactions under way, to be told when it is lost. */
  waiting: Set<(error: Error) => void>
}

/** What a statement on a lost connection fails with. */
export const connectionLost = () =>
  Object.assign(new Error('connection lost'), { code: 'CONNECTION_CLOSED' })

/** The connection of a transaction, for as long as it is there: a statement on a lost one is refused by us. */
export function whileThere(
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
