import { connect, createServer, type Socket } from 'node:net'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'

type SocketAddress = Exclude<DatabaseAddress, { url: string }>

/** A TCP proxy in front of a database that a test can disturb. */
export type DatabaseProxy = {
  url(user: string, password: string, database: string): string
  /**
   * Drops all bytes in both directions, on new connections too, and closes nothing, like a firewall that drops packets.
   */
  blackHole(): void
  /** Ends the black hole and closes its connections; the dropped bytes are lost. */
  heal(): void
  /** Closes every connection. */
  cut(): void
  /** Switches to another server and closes all connections to the previous one. */
  moveTo(address: SocketAddress): void
  close(): Promise<void>
}

/** Starts a proxy on loopback that forwards to the Unix socket of `first`. */
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
