import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../kernel/config/config.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { openDatabase, type Database } from './database.ts'
import { describeError, errorCode } from './database-errors.ts'
import { openCluster, type Cluster } from './embedded/cluster.ts'
import { lockDataDir, prepareDataDir } from './embedded/data-dir.ts'

const POOL_SIZE = 14
/** Connections of a worker: together they use as many as two servers, but each needs a few for blocking statements. */
const MIN_POOL_SIZE = 12
/** Connections of one process besides its pool: the other pools, its lock, its bus, and new ones after a loss. */
const MORE_CONNECTIONS = 8
/** Connections that a node opens at most. */
export const CONNECTIONS_PER_NODE = POOL_SIZE + MORE_CONNECTIONS
/** How long a server waits for another server that is stopping. */
const SERVER_WAIT_MS = 4000
/** How long an operator's command waits for another, and a server for commands, which hold its lock while they run. */
const OPERATOR_WAIT_MS = 60_000
const LOCK_RETRY_MS = 100

/** The open database; disposing it closes the database and releases the data directory. */
export type Storage = AsyncDisposable & {
  database: Database
  /** Where the embedded server's files are stored if not in the data directory; otherwise null. */
  relocatedTo: string | null
  /** Restarts the embedded server if it has died; does nothing for an external database. */
  restartDatabase(): Promise<void>
}

/**
 * Opens the external database, or starts or adopts the embedded one of the data directory. A server process holds the
 * directory's lock while it runs, because its node id is stored there. An operator's command may run alongside it; when
 * no server runs, the command holds the lock itself, so that no server can start just before the command stops the
 * database. Throws StartFault.
 */
export async function openStorage(config: Config, as: 'server' | 'operator'): Promise<Storage> {
  prepareDataDir(config.dataDir)
  // Operators' commands run one at a time: a command that finds no server starts the database and stops it when it
  // ends.
  const operatorLock = as === 'operator' ? await waitForLock(config.dataDir, 'operator') : null
  const lock =
    as === 'server'
      ? await waitForLock(config.dataDir, 'server')
      : lockDataDir(config.dataDir, 'server')
  const unlock = () => {
    lock?.[Symbol.dispose]()
    operatorLock?.[Symbol.dispose]()
  }
  // An operator's command may take minutes (rekeying, summing all balances), and no request waits for it.
  const deadlines = as === 'operator' ? 'patient' : 'ordinary'
  if (config.databaseUrl) {
    const database = openDatabase({ url: config.databaseUrl }, POOL_SIZE, deadlines)
    try {
      await database.rejectPooler()
    } catch (error) {
      await database.close(1)
      unlock()
      throw error instanceof StartFault
        ? error
        : new StartFault(say.start.databaseUnreachable(describeError(error)), error)
    }
    return {
      database,
      relocatedTo: null,
      restartDatabase: async () => {},
      async [Symbol.asyncDispose]() {
        await database.close(5)
        unlock()
      },
    }
  }
  let cluster: Cluster
  try {
    const needed = (config.workers + 1) * (POOL_SIZE + MORE_CONNECTIONS)
    const settings = { max_connections: String(needed) }
    cluster = await openCluster(config.dataDir, lock !== null, config.workers > 1 ? settings : {})
  } catch (error) {
    unlock()
    throw error
  }
  const database = openDatabase(cluster.address, POOL_SIZE, deadlines)
  return {
    database,
    relocatedTo: cluster.movedTo,
    restartDatabase: cluster.ensureRunning,
    async [Symbol.asyncDispose]() {
      await database.close(5)
      if (lock) await cluster.stop()
      unlock()
    },
  }
}

/**
 * Opens the database for a worker process. The primary process holds the data directory and the embedded database;
 * `restart` asks it to restart that database. Throws StartFault.
 */
export async function openWorkerStorage(config: Config, restart: () => void): Promise<Storage> {
  const poolSize = Math.max(MIN_POOL_SIZE, Math.floor((POOL_SIZE * 2) / config.workers))
  const address = config.databaseUrl
    ? { url: config.databaseUrl }
    : (await openCluster(config.dataDir, false)).address
  const database = openDatabase(address, Math.min(POOL_SIZE, poolSize), 'ordinary')
  return {
    database,
    relocatedTo: null,
    restartDatabase: async () => restart(),
    [Symbol.asyncDispose]: () => database.close(5),
  }
}

async function waitForLock(dataDir: string, as: 'server' | 'operator') {
  for (let waited = 0; waited <= OPERATOR_WAIT_MS; waited += LOCK_RETRY_MS) {
    const lock = lockDataDir(dataDir, as)
    if (lock) return lock
    if (as === 'server' && waited > SERVER_WAIT_MS && !commandRuns(dataDir)) break
    await pause(LOCK_RETRY_MS)
  }
  throw new StartFault(say.start.dataDirLocked(dataDir))
}

/** Whether an operator's command is running on this data directory. */
function commandRuns(dataDir: string): boolean {
  const lock = lockDataDir(dataDir, 'operator')
  lock?.[Symbol.dispose]()
  return lock === null
}

/**
 * Reads a secret of this installation, and generates it on first use (`bytes` random bytes in base64url, file mode
 * 0600). Processes that start together read the same: the file appears with its content.
 */
export function installationSecret(dataDir: string, name: string, bytes: number): string {
  const file = join(dataDir, name)
  if (!existsSync(file)) {
    const draft = `${file}.${randomBytes(6).toString('hex')}`
    writeFileSync(draft, randomBytes(bytes).toString('base64url'), { flag: 'wx', mode: 0o600 })
    try {
      linkSync(draft, file)
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error
    } finally {
      rmSync(draft)
    }
  }
  return readFileSync(file, 'utf8').trim()
}
