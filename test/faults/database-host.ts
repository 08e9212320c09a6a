// Hosts the database of a server under test: embedded, on a disk that can fill up, or as a primary with a standby.
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { DatabaseAddress } from '../../src/platform/db/driver.ts'
import { openDatabase } from '../../src/platform/db/database.ts'
import { openCluster, type Cluster } from '../../src/platform/db/embedded/cluster.ts'
import { startDatabaseProxy } from '../kit/database-proxy.ts'
import { isAlive, makeDataDir, removeDataDir } from '../kit/process.ts'

const DISK_MIB = 400
const BLOCK = Buffer.alloc(1024 * 1024)
const ROLE = 'server'
const REPLICATED = {
  wal_level: 'replica',
  max_wal_senders: '4',
  hot_standby: 'on',
  // A clean stop waits for the standby, which does not exist yet when the primary is copied.
  wal_sender_timeout: '5s',
}

/** The database of a server under test. */
export type DatabaseHost = AsyncDisposable & {
  dataDir: string
  /** Environment variables with which the server connects. */
  env: Record<string, string>
  /** Superuser address that bypasses every proxy. */
  address(): Promise<DatabaseAddress>
  /** Process id of the postmaster. */
  postmaster(): number
}

const postmasterOf = (dir: string) =>
  Number(readFileSync(join(dir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0])

/** The embedded PostgreSQL, in the server's data directory. */
export function createEmbeddedHost(): DatabaseHost {
  const dataDir = makeDataDir()
  return {
    dataDir,
    env: {},
    address: async () => (await openCluster(dataDir, false)).address,
    postmaster: () => postmasterOf(dataDir),
    async [Symbol.asyncDispose]() {
      removeDataDir(dataDir)
    },
  }
}

/** The embedded PostgreSQL on a small tmpfs; `fill` fills it up, `empty` frees it. Needs root. */
export function createSmallDisk(): DatabaseHost & { fill(): void; empty(): void } {
  const host = createEmbeddedHost()
  const { dataDir } = host
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MIB}m,mode=711`, 'tmpfs', dataDir])
  const filler = join(dataDir, 'filler')
  return {
    ...host,
    fill() {
      try {
        for (;;) appendFileSync(filler, BLOCK)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(filler, { force: true }),
    async [Symbol.asyncDispose]() {
      execFileSync('umount', ['--lazy', dataDir])
      await host[Symbol.asyncDispose]()
    },
  }
}

/** A primary with a standby behind a proxy, which can lose every packet for a while. */
export type ReplicatedHost = DatabaseHost & {
  failOver(): Promise<void>
  /** Drops what either side sends and closes nothing, until `heal`. */
  blackHole(): void
  heal(): void
}

/** A primary with a synchronous standby behind one proxy address, like a virtual IP. */
export async function createReplicatedHost(): Promise<ReplicatedHost> {
  const dataDir = makeDataDir()
  const [first, second] = [join(dataDir, 'first'), join(dataDir, 'second')]
  for (const dir of [first, second]) mkdirSync(dir, { mode: 0o711 })
  const open = (dir: string) => openCluster(dir, true, REPLICATED)

  const fresh = await open(first)
  await using admin = openDatabase(fresh.address, 1)
  await admin.system`create role ${admin.sql(ROLE)} login password 'p'`
  await admin.system`create database ${admin.sql(ROLE)} owner ${admin.sql(ROLE)}`
  await admin[Symbol.asyncDispose]()
  await fresh.stop()
  execFileSync('cp', ['-a', join(first, 'postgres'), second])
  const standby = join(second, 'postgres/cluster')
  const primary: Cluster = await open(first)
  const { address } = primary
  if ('url' in address) throw new Error(`primary in ${first}: expected a socket address, got a URL`)
  const source = `host=${address.socketDir} port=${address.port} user=${address.user} password=${address.password}`
  appendFileSync(join(standby, 'postgresql.auto.conf'), `primary_conninfo = '${source}'\n`)
  writeFileSync(join(standby, 'standby.signal'), '')
  const other = await open(second)
  await using operator = openDatabase(address, 1)
  await operator.system`alter system set synchronous_standby_names = '*'`
  await operator.system`select pg_reload_conf()`
  const proxy = await startDatabaseProxy(address)
  let current = { dir: first, address: address as DatabaseAddress }
  return {
    dataDir,
    env: { DATABASE_URL: proxy.url(ROLE, 'p', ROLE), MASTER_KEY: 'm'.repeat(32) },
    address: async () => ({ ...current.address, database: ROLE }),
    postmaster: () => postmasterOf(current.dir),
    blackHole: () => proxy.blackHole(),
    heal: () => proxy.heal(),
    async failOver() {
      const pid = postmasterOf(first)
      process.kill(pid, 'SIGQUIT')
      while (isAlive(pid)) await pause(10)
      await using promoting = openDatabase(other.address, 1)
      await promoting.system`select pg_promote()`
      current = { dir: second, address: other.address }
      if ('url' in other.address) {
        throw new Error(`standby in ${second}: expected a socket address, got a URL`)
      }
      proxy.moveTo(other.address)
    },
    async [Symbol.asyncDispose]() {
      await proxy.close()
      await other.stop()
      await primary.stop()
      removeDataDir(dataDir)
    },
  }
}
