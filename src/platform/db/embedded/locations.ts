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

/** The locations of the embedded PostgreSQL's files. */
export type ClusterLocation = {
  /** Contains bin, lib and share. */
  binaries: string
  /** Contains `cluster` and the server's log; owned by the user PostgreSQL runs as. */
  home: string
  /** Whether `home` is outside the data directory. */
  moved: boolean
}

/** The path of a Unix socket is limited to 107 bytes, including `/.s.PGSQL.5432`. */
const MAX_SOCKET_DIR_BYTES = 93

/**
 * Chooses the location: `DATA_DIR/postgres`, unless the user PostgreSQL runs as cannot access it or the binaries; then
 * `/var/lib/recado/<hash>`, with a copy of the binaries and a symlink in `DATA_DIR` (G64).
 */
export function chooseLocation(dataDir: string, user: RunAs): ClusterLocation {
  const link = join(dataDir, 'postgres')
  const packaged = findBinaries()
  const reachable = canEnter(user, dataDir) && canEnter(user, packaged)
  const isLink = lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() ?? false
  if (reachable && !isLink) {
    makeOwnedDir(link, user)
    return { binaries: packaged, home: link, moved: false }
  }
  const home = isLink ? readlinkSync(link) : join('/var/lib/recado', hash(dataDir))
  makeOwnedDir(home, user)
  const binaries = copyBinaries(packaged, home, user)
  if (!isLink) symlinkSync(home, link)
  return { binaries, home, moved: true }
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

function makeOwnedDir(dir: string, user: RunAs): void {
  mkdirSync(dirname(dir), { recursive: true })
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  // An existing directory stays with its owner.
  if (user && lstatSync(dir).uid === 0) chownSync(dir, user.uid, user.gid)
}

/**
 * Copies the binaries once per package path and Node.js version. An interrupted copy lacks the marker and is repeated.
 */
function copyBinaries(from: string, home: string, user: RunAs): string {
  const target = join(home, `binaries-${hash(from + process.version)}`)
  const mark = join(target, '.complete')
  if (!existsSync(mark)) {
    rmSync(target, { recursive: true, force: true })
    makeOwnedDir(target, user)
    cpSync(from, target, { recursive: true, verbatimSymlinks: true })
    if (user) chownSync(target, user.uid, user.gid)
    makeOwnedDir(mark, user)
  }
  return target
}

/**
 * Creates and returns a directory for the socket with a short enough path, accessible only to PostgreSQL's user and
 * root. Throws if the directory already exists and is not private.
 */
export function prepareSocketDir(home: string, user: RunAs): string {
  const inside = join(home, 'socket')
  if (Buffer.byteLength(inside) <= MAX_SOCKET_DIR_BYTES) {
    makeOwnedDir(inside, user)
    return inside
  }
  const outside = join('/tmp', `recado-${hash(home)}`)
  makeOwnedDir(outside, user)
  const owner = lstatSync(outside)
  const expected = user?.uid ?? process.getuid?.() ?? 0
  if (!owner.isDirectory() || owner.uid !== expected || (owner.mode & 0o077) !== 0) {
    throw new Error(`${outside} exists and is not a private directory of user ${expected}`)
  }
  return outside
}
