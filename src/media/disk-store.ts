import { copyFile, mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { MissingBytes, type MediaStore, type RemovalFailure } from './store.port.ts'

/** Stores files in a directory of this server. Several servers need a shared directory, or S3. */
export function createDiskStore(dir: string): MediaStore {
  const place = (key: string) => join(dir, key)
  return {
    async put(key, path) {
      const target = place(key)
      await mkdir(dirname(target), { recursive: true })
      await sync(path)
      try {
        await rename(path, target)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
        // Another file system: copied next to the target first, so that a partial file is never visible.
        const part = `${target}.part`
        try {
          await copyFile(path, part)
          await sync(part)
          await rename(part, target)
        } catch (failure) {
          // Nothing else knows of it, and the disk may be full.
          await rm(part, { force: true })
          throw failure
        }
      }
      await sync(dirname(target))
    },
    async open(key, range) {
      try {
        const file = await open(place(key))
        return file.createReadStream(range ?? {})
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        throw new MissingBytes(key, error)
      }
    },
    async remove(keys) {
      const failures: RemovalFailure[] = []
      for (const key of keys) {
        await rm(place(key), { force: true }).catch((error: unknown) =>
          failures.push({ key, reason: String(error) }),
        )
      }
      return failures
    },
    close() {},
  }
}

/** Flushes a file, or the entries of a directory, to disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
