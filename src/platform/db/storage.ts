import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Config } from '../../kernel/config/config.ts'
import { StartFault } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import { openDatabase, type Database } from './database.ts'
import { describeError } from './database-errors.ts'
import { openCluster, type Cluster } from './embedded/cluster.ts'
import { lockDataDir, prepareDataDir } from './embedded/data-dir.ts'

const POOL = 12
/** An operator's command may hold the server's lock for a moment. */
const SERVER_WAIT_MS = 4000
const OPERATOR_WAIT_MS = 60_000
const LOCK_RETRY_MS = 100

export type Storage = AsyncDisposable & {
  database: Database
  /** The embedded server's place when it could not be the data directory. */
  movedTo: string | null
  /** Starts the embedded server again when it has died; nothing with an external one. */
  revive(): Promise<void>
}

/**
 * Opens the database: the external one, or the embedded one of the data directory, started or adopted. The server
 * holds the directory's lock for its life, since its node id lies there; an operator's command looks in beside it, and holds the lock itself
 * when no server runs, so that none can start and find the database stopping under it.
 */
export async function openStorage(config: Config, as: 'server' | 'operator'): Promise<Storage> {
  prepareDataDir(config.dataDir)
  // Operators' commands go one at a time: one that finds no server starts the database, and stops it at its end.
  const turn = as === 'operator' ? await waitForLock(config.dataDir, 'operator') : null
  const lock =
    as === 'server'
      ? await waitForLock(config.dataDir, 'server')
      : lockDataDir(config.dataDir, 'server')
  const unlock = () => {
    lock?.[Symbol.dispose]()
    turn?.[Symbol.dispose]()
  }
  // Nobody else waits for what an operator's command does: rekeying or adding up all balances may take minutes.
  const deadlines = as === 'operator' ? 'patient' : 'ordinary'
  if (config.databaseUrl) {
    const database = openDatabase({ url: config.databaseUrl }, POOL, deadlines)
    try {
      await database.refusePooler()
    } catch (error) {
      await database.close(1)
      unlock()
      throw error instanceof StartFault
        ? error
        : new StartFault(say.start.databaseUnreachable(describeError(error)), error)
    }
    return {
      database,
      movedTo: null,
      revive: async () => {},
      async [Symbol.asyncDispose]() {
        await database.close(5)
        unlock()
      },
    }
  }
  let cluster: Cluster
  try {
    cluster = await openCluster(config.dataDir, lock !== null)
  } catch (error) {
    unlock()
    throw error
  }
  const database = openDatabase(cluster.address, POOL, deadlines)
  return {
    database,
    movedTo: cluster.movedTo,
    revive: cluster.ensureRunning,
    async [Symbol.asyncDispose]() {
      await database.close(5)
      if (lock) await cluster.stop()
      unlock()
    },
  }
}

async function waitForLock(dataDir: string, as: 'server' | 'operator') {
  const deadline = as === 'server' ? SERVER_WAIT_MS : OPERATOR_WAIT_MS
  for (let waited = 0; waited <= deadline; waited += LOCK_RETRY_MS) {
    const lock = lockDataDir(dataDir, as)
    if (lock) return lock
    await pause(LOCK_RETRY_MS)
  }
  throw new StartFault(say.start.dataDirLocked(dataDir))
}

/** Reads a small secret of this installation, or makes it on the first start (mode 0600). */
export function installationSecret(dataDir: string, name: string, bytes: number): string {
  const file = join(dataDir, name)
  try {
    writeFileSync(file, randomBytes(bytes).toString('base64url'), { flag: 'wx', mode: 0o600 })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
  return readFileSync(file, 'utf8').trim()
}
