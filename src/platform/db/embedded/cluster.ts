import { randomBytes } from 'node:crypto'
import {
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { StartFault } from '../../../kernel/phrases/fail.ts'
import { say } from '../../../kernel/phrases/phrases.ts'
import type { DatabaseAddress } from '../driver.ts'
import { chooseLocation, prepareSocketDir } from './locations.ts'
import { chooseUser, runCommand, type RunAs } from './run-as.ts'

const PORT = 5432
const SUPERUSER = 'recado'
const VERSION = '18'
const UNFINISHED = 'unfinished-'
/** The index of the status line in postmaster.pid. */
const STATUS_LINE = 7
/** How often, and how many times, an operator's command checks for a server that is still starting. */
const WAIT_MS = 100
const WAIT_TRIES = 300

/**
 * Settings of the embedded server: durable commits, little memory, and no features that a single node does not need.
 */
const SETTINGS = {
  listen_addresses: '',
  port: String(PORT),
  max_connections: '60',
  shared_buffers: '128MB',
  work_mem: '8MB',
  jit: 'off',
  io_method: 'sync',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '2GB',
  // A plan made while a table was empty lasts until the table is analyzed, which must be soon on a new installation.
  autovacuum_naptime: '2s',
  autovacuum_vacuum_cost_delay: '0',
  log_min_messages: 'warning',
  log_timezone: 'UTC',
  timezone: 'UTC',
}

/** The running embedded PostgreSQL. */
export type Cluster = {
  address: DatabaseAddress
  /** The directory of its files when they could not be stored in the data directory; otherwise null. */
  movedTo: string | null
  /** Starts the server if it is not running. */
  ensureRunning(): Promise<void>
  /** Stops the server and waits for it to exit. */
  stop(): Promise<void>
}

/**
 * Opens the embedded PostgreSQL of `dataDir`: runs `initdb` on first use, then starts the server or adopts one that a
 * killed parent process left running. Only the holder of the data directory's lock creates or starts anything; any
 * other process waits until the server accepts connections. `others` are additional PostgreSQL settings. Throws
 * StartFault.
 */
export async function openCluster(
  dataDir: string,
  holdsLock: boolean,
  others: Record<string, string> = {},
): Promise<Cluster> {
  const user = chooseUser(dataDir)
  const place = chooseLocation(dataDir, user)
  const cluster = join(place.home, 'cluster')
  const logFile = join(place.home, 'postgres.log')
  const sockets = prepareSocketDir(place.home, user)
  const passwordFile = join(place.home, 'password')
  const log = openSync(logFile, 'a', 0o600)
  if (user) chownSync(logFile, user.uid, user.gid)
  const run = (program: string, args: string[]) =>
    runCommand(user, join(place.binaries, 'bin', program), args, { cwd: place.home, log })

  /** Whether the server is running. The pid file alone may be stale and contain the pid of an unrelated process. */
  const isRunning = async () =>
    (await run('pg_ctl', ['status', '-D', cluster])) === 0 && (await acceptsConnections(sockets))

  async function start(): Promise<void> {
    if (await isRunning()) return
    removeStalePid(cluster)
    const settings = Object.entries({ ...SETTINGS, ...others }).map(
      ([name, value]) => `-c ${name}='${value}'`,
    )
    const options = [...settings, `-k '${sockets}'`].join(' ')
    const args = ['start', '-D', cluster, '-w', '-t', '60', '-s', '-l', logFile, '-o', options]
    if ((await run('pg_ctl', args)) !== 0 && !(await isRunning())) {
      throw new StartFault(say.start.embeddedFailed(logFile))
    }
  }

  let starting: Promise<void> | null = null
  const ensureRunning = () =>
    (starting ??= start().finally(() => {
      starting = null
    }))

  if (!holdsLock) await waitFor(isRunning, logFile)
  else if (!existsSync(cluster)) await initialise(cluster, passwordFile, user, run, logFile)
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim()
  if (version !== VERSION) throw new StartFault(say.start.embeddedVersion(version, VERSION))
  if (holdsLock) await ensureRunning()
  // An adopted server may still be starting and reject connections.
  await waitFor(async () => isReady(cluster), logFile)
  return {
    address: {
      socketDir: sockets,
      port: PORT,
      user: SUPERUSER,
      password: readFileSync(passwordFile, 'utf8').trim(),
      database: 'postgres',
    },
    movedTo: place.moved ? place.home : null,
    ensureRunning,
    async stop() {
      await run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', '30', '-s'])
      closeSync(log)
    },
  }
}

/**
 * Creates the cluster under a temporary name and renames it when it is complete; an interrupted one is created again.
 */
async function initialise(
  cluster: string,
  passwordFile: string,
  user: RunAs,
  run: (program: string, args: string[]) => Promise<number>,
  logFile: string,
): Promise<void> {
  for (const name of readdirSync(dirname(cluster))) {
    if (name.startsWith(UNFINISHED)) rmSync(join(dirname(cluster), name), { recursive: true })
  }
  // The name is unique because an initdb whose parent was killed may still be writing to the previous directory.
  const unfinished = join(dirname(cluster), UNFINISHED + randomBytes(6).toString('hex'))
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  if (user) chownSync(passwordFile, user.uid, user.gid)
  const code = await run('initdb', [
    '-D',
    unfinished,
    '-U',
    SUPERUSER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
    '--no-instructions',
  ])
  if (code !== 0) throw new StartFault(say.start.embeddedFailed(logFile))
  renameSync(unfinished, cluster)
}

/**
 * Removes the pid file of a dead server whose pid now belongs to another program: PostgreSQL would take that program
 * for itself and refuse to start. Only possible where /proc shows command lines. The caller must hold the lock.
 */
function removeStalePid(cluster: string): void {
  const pidFile = join(cluster, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = readFileSync(pidFile, 'utf8').split('\n')[0]?.trim()
  const commandLine = `/proc/${pid}/cmdline`
  if (!existsSync(commandLine)) return
  if (!readFileSync(commandLine, 'utf8').includes(cluster)) rmSync(pidFile)
}

/** Whether the server reports in its pid file that it accepts connections. */
function isReady(cluster: string): boolean {
  const pidFile = join(cluster, 'postmaster.pid')
  const status = existsSync(pidFile) ? readFileSync(pidFile, 'utf8').split('\n')[STATUS_LINE] : ''
  return status?.trim() === 'ready'
}

/** Whether a server accepts connections on the socket. */
function acceptsConnections(socketDirectory: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(socketDirectory, `.s.PGSQL.${PORT}`))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

async function waitFor(ready: () => Promise<boolean>, logFile: string): Promise<void> {
  for (let tries = 0; !(await ready()); tries++) {
    if (tries === WAIT_TRIES) throw new StartFault(say.start.embeddedFailed(logFile))
    await pause(WAIT_MS)
  }
}
