import { mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, describe } from 'node:test'
import { pathToFileURL } from 'node:url'

/** The name of the file that lists the test files. */
export const FILES = 'files.json'

/** For each test, and for all tests of a file. */
const TIMEOUT_MS = 300_000

/**
 * Runs, one after the other, the test files listed in a directory that no other process has taken. Hooks of a file stay
 * its own.
 */
export async function takeFiles(dir: string): Promise<void> {
  const files = JSON.parse(readFileSync(join(dir, FILES), 'utf8')) as string[]
  for (const [index, file] of files.entries()) {
    if (!take(join(dir, `taken-${index}`))) continue
    const ended = Promise.withResolvers<void>()
    describe(file, { timeout: TIMEOUT_MS }, () => {
      // The outer suite ends after the file has cleaned up, also if that failed.
      after(() => ended.resolve())
      describe('all', async () => {
        await import(pathToFileURL(resolve(file)).href)
      })
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
