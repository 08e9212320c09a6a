import { createHash } from 'node:crypto'
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { findBinaries } from './binaries.ts'
import { canEnter, type RunAs } from './run-as.ts'

/** Where the embedded PostgreSQL's files lie. */
export type Place = {
  /** Holds bin, lib and share. */
  binaries: string
  /** Holds `cluster` and the server's log; belongs to the user PostgreSQL runs as. */
  home: string
  /** Whether `home` had to be moved out of the data directory. */
  moved: boolean
}

/** A Unix socket's path may have 107 bytes, `/.s.PGSQL.5432` among them. */
const LONGEST_SOCKET_DIR = 93

/**
 * Chooses the place: `DATA_DIR/postgres`, unless the user PostgreSQL runs as cannot get there, or to the
 * binaries; then `/var/lib/recado/<hash>`, with the binaries copied and a link left behind. Source: contract §1.
 */
export function choosePlace(dataDir: string, user: RunAs): Place {
  const link = join(dataDir, 'postgres')
  const packaged = findBinaries()
  const reachable = canEnter(user, dataDir) && canEnter(user, packaged)
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  if (reachable && !isLink) {
    makeOwned(link, user)
    return { binaries: packaged, home: link, moved: false }
  }
  const home = isLink ? readlinkSync(link) : join('/var/lib/recado', hash(dataDir))
  makeOwned(home, user)
  const binaries = copyBinaries(packaged, home, user)
  if (!isLink) symlinkSync(home, link)
  return { binaries, home, moved: true }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function makeOwned(dir: string, user: RunAs): void {
  mkdirSync(dirname(dir), { recursive: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  if (user) chownSync(dir, user.uid, user.gid)
}

/** Copies once per version of the package; an interrupted copy lacks the mark and is made again. */
function copyBinaries(from: string, home: string, user: RunAs): string {
  const target = join(home, `binaries-${hash(from + process.version)}`)
  const mark = join(target, '.complete')
  if (!existsSync(mark)) {
    rmSync(target, { recursive: true, force: true })
    makeOwned(target, user)
    cpSync(from, target, { recursive: true, verbatimSymlinks: true })
    if (user) chownSync(target, user.uid, user.gid)
    makeOwned(mark, user)
  }
  return target
}

/** A directory for the socket that is short enough and that only PostgreSQL's user and root can enter. */
export function socketDir(home: string, user: RunAs): string {
  const inside = join(home, 'socket')
  if (Buffer.byteLength(inside) <= LONGEST_SOCKET_DIR) {
    makeOwned(inside, user)
    return inside
  }
  const outside = join('/tmp', `recado-${hash(home)}`)
  makeOwned(outside, user)
  const owner = lstatSync(outside)
  const expected = user?.uid ?? process.getuid?.() ?? 0
  if (!owner.isDirectory() || owner.uid !== expected || (owner.mode & 0o077) !== 0) {
    throw new Error(`${outside} exists and is not a private directory of user ${expected}`)
  }
  return outside
}
