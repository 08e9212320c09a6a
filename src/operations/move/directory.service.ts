import { rename, writeFile } from 'node:fs/promises'
import type { Db } from '../../platform/db/sql.ts'
import { listAllKeyPrefixes } from './move.sql.ts'

/**
 * Writes the key prefixes of this installation as entries of an nginx map (`deploy/router`). The file
 * is replaced atomically, so that a router never reads half of it.
 */
export async function writeDirectory(
  db: Db,
  file: string,
): Promise<{ file: string; keys: number }> {
  const prefixes = await listAllKeyPrefixes(db)
  const draft = `${file}.part`
  await writeFile(draft, prefixes.map((prefix) => `${prefix} 1;\n`).join(''))
  await rename(draft, file)
  return { file, keys: prefixes.length }
}
