import { accessSync, chmodSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartFault } from '../../../kernel/phrases/fail.ts'
import { say } from '../../../kernel/phrases/phrases.ts'

export type DataDirLock = Disposable

/** One level at a time: a recursive mkdir never returns in some places, such as /proc. */
function makeDir(dir: string): void {
  if (existsSync(dir)) return
  if (dirname(dir) !== dir) makeDir(dirname(dir))
  mkdirSync(dir)
}

/** Makes the data directory. As root others may pass through it, since PostgreSQL runs as another user. */
export function prepareDataDir(dir: string): void {
  try {
    makeDir(dir)
    if (!statSync(dir).isDirectory()) throw new Error('not a directory')
    chmodSync(dir, process.getuid?.() === 0 ? 0o711 : 0o700)
    accessSync(dir, constants.W_OK)
  } catch (error) {
    throw new StartFault(say.start.dataDirNotWritable(dir), error)
  }
}

/**
 * Locks the data directory for this process as its server, or as the one operator's command at work on it; null when
 * another holds that lock. SQLite takes a lock of the
 * operating system, which ends with the process however it ends, so nothing stale is ever left behind.
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
