import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../kernel/config/config.ts'
import { createSystemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { createMediaStore, mediaStoreName } from './create-store.ts'
import { createStage } from './stage-file.ts'
import { keyOf } from './store-file.ts'
import { MissingBytes, type MediaStore } from './store.port.ts'
import type { Db } from '../platform/db/sql.ts'
import { listStoredFiles } from './media.sql.ts'

const BATCH_SIZE = 200

/** Names the place where an installation with this configuration stores files, as its nodes do. */
export const storeNameOf = mediaStoreName

/** Copies the files of a Project from one store to another. */
export type FileCopier = AsyncDisposable & {
  /** Both installations use the same store, so there is nothing to copy. */
  shared: boolean
  /** Copies the files that no earlier call has copied, whenever they were stored; returns how many. */
  copy(projectId: string): Promise<number>
}

/** Opens the stores of two installations. Files whose bytes are missing in the source are skipped. */
export async function openFileCopier(db: Db, from: Config, to: Config): Promise<FileCopier> {
  await using stack = new AsyncDisposableStack()
  const clock = createSystemClock()
  const [source, target] = [await createMediaStore(from, clock), await createMediaStore(to, clock)]
  stack.defer(() => source.close())
  stack.defer(() => target.close())
  const dir = await mkdtemp(join(tmpdir(), 'recado-move-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const stage = createStage(dir)
  const shared = await areOne(source, target, dir)
  const copied = new Set<string>()

  async function copyOne(file: Awaited<ReturnType<typeof listStoredFiles>>[number]): Promise<void> {
    const { sizeBytes, mimeType } = file
    const bytes = await source.open(keyOf(file))
    await using staged = await stage.write(bytes, sizeBytes)
    await target.put(keyOf(file), staged.path, { sizeBytes, mimeType })
  }

  const everything = stack.move()
  return {
    shared,
    async copy(projectId) {
      if (shared) return 0
      const before = copied.size
      for (let after = ''; ;) {
        const files = await listStoredFiles(db, projectId, after, BATCH_SIZE)
        for (const file of files) {
          if (copied.has(file.id)) continue
          try {
            await copyOne(file)
            copied.add(file.id)
          } catch (error) {
            if (!(error instanceof MissingBytes)) throw error
          }
        }
        after = files.at(-1)?.id ?? after
        if (files.length < BATCH_SIZE) return copied.size - before
      }
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}

/** Whether two stores are the same, tested by writing to one and reading from the other. */
async function areOne(source: MediaStore, target: MediaStore, dir: string): Promise<boolean> {
  const key = `probe/${newId('med', 0)}`
  const path = join(dir, 'probe')
  await writeFile(path, 'recado')
  await source.put(key, path, { sizeBytes: 6, mimeType: 'text/plain' })
  try {
    ;(await target.open(key)).destroy()
    return true
  } catch (error) {
    if (error instanceof MissingBytes) return false
    throw error
  } finally {
    await source.remove([key])
  }
}
