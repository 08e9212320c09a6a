import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'

/** Test files that several processes share; each takes the next one when it has finished another. */
export type SharedRun = { dir: string; files: string[] }

/** For each test, and for all tests of a file. */
const TIMEOUT_MS = 300_000

/** Runs, one after the other, the files of a run that no other process has taken. Hooks of a file stay its own. */
export async function takeFiles(dir: string): Promise<void> {
  const { files } = JSON.parse(readFileSync(join(dir, 'run.json'), 'utf8')) as SharedRun
  for (const [index, file] of files.entries()) {
    if (!take(join(dir, `taken-${index}`))) continue
    const ended = Promise.withResolvers<void>()
    describe(file, { timeout: TIMEOUT_MS }, async () => {
      after(() => ended.resolve())
      await import(pathToFileURL(resolve(file)).href)
    })
    await ended.promise
  }
}

/** Creating a folder succeeds for one process alone. */
function take(path: string): boolean {
  try {
    mkdirSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
