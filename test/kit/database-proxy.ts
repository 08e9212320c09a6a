import { connect, createServer, type Socket } from 'node:net'
import type { DatabaseAddress } from '../../src/platform/db/database.ts'

type SocketAddress = Exclude<DatabaseAddress, { url: string }>

/** A way to a database that a test can disturb. */
export type DatabaseProxy = {
  url(user: string, password: string, database: string): string
  /** Bytes go nowhere, in both directions and on new connections too; nothing is closed. Like a firewall that drops. */
  blackHole(): void
  /** Ends the black hole: what was held back is lost with its connections. */
  heal(): void
  /** Closes every connection. */
  cut(): void
  /** Leads to another server from now on; connections to the one before are closed. */
  moveTo(address: SocketAddress): void
  close(): Promise<void>
}

export async function startDatabaseProxy(first: SocketAddress): Promise<DatabaseProxy> {
  const open = new Set<Socket>()
  let address = first
  let swallowing = false
  const server = createServer((near) => {
    const far = connect(`${address.socketDir}/.s.PGSQL.${address.port}`)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(from)
      from.on('data', (bytes) => void (swallowing || to.write(bytes)))
      from.on('error', () => {})
      from.on('close', () => {
        open.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : 0
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    url: (user, password, database) =>
      `postgres://${user}:${password}@127.0.0.1:${port}/${database}`,
    blackHole() {
      swallowing = true
    },
    heal() {
      swallowing = false
      cut()
    },
    cut,
    moveTo(next) {
      address = next
      cut()
    },
    close() {
      cut()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
