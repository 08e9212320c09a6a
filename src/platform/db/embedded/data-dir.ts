import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from '../../../kernel/phrases/fail.ts'
import { say } from '../../../kernel/phrases/phrases.ts'

/** A lock on the data directory; disposing it releases the lock. */
export type DataDirLock = Disposable

/** Creates one level at a time, because a recursive mkdir never returns in some directories, such as /proc. */
function makeDir(dir: string): void {
  if (existsSync(dir)) return
  if (dirname(dir) !== dir) makeDir(dirname(dir))
  mkdirSync(dir)
}

/**
 * Creates the data directory. When run as root, other users may traverse it because PostgreSQL runs as a different
 * user. Throws StartFault when it is not writable.
 */
export function prepareDataDir(dir: string): void {
  try {
    makeDir(dir)
    if (!statSync(dir).isDirectory()) throw new Error(`${dir} is not a directory`)
    chmodSync(dir, process.getuid?.() === 0 ? 0o711 : 0o700)
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw new StartFault(say.start.dataDirNotWritable(dir), error)
  }
}

/**
 * Locks the data directory for this process, as its server or as the one operator's command working on it. Returns null
 * when another process holds that lock. SQLite uses an operating system lock, which is released when the process exits
 * for any reason, so no stale lock can remain.
 */
export function lockDataDir(dir: string, as: 'server' | 'operator'): DataDirLock | null {
  const lock = new DatabaseSync(join(dir, `${as}.lock`))
  try {
    lock.exec('pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive')
  } catch {
    lock.close()
    return null
  }
  return { [Symbol.dispose]: () => lock.close() }
}
