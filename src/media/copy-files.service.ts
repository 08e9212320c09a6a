import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../kernel/config/config.ts'
import { createMediaStore, mediaStoreName } from './create-store.ts'
import { createStage } from './stage-file.ts'
import { keyOf } from './store-file.ts'
import { MissingBytes } from './store.port.ts'
import type { Db } from '../platform/db/sql.ts'
import { listStoredFiles } from './media.sql.ts'

const BATCH_SIZE = 200

/** Copies the files of a Project from one store to another. */
export type FileCopier = AsyncDisposable & {
  /** Both installations use the same store, so there is nothing to copy. */
  shared: boolean
  /** Copies the files that no earlier call has copied; returns how many. */
  copy(projectId: string): Promise<number>
}

/** Opens the stores of two installations. Files whose bytes are missing are skipped: they are missing there, too. */
export async function openFileCopier(db: Db, from: Config, to: Config): Promise<FileCopier> {
  await using stack = new AsyncDisposableStack()
  const shared = mediaStoreName(from) === mediaStoreName(to)
  const [source, target] = [await createMediaStore(from), await createMediaStore(to)]
  stack.defer(() => source.close())
  stack.defer(() => target.close())
  const dir = await mkdtemp(join(tmpdir(), 'recado-move-'))
  stack.defer(() => rm(dir, { recursive: true, force: true }))
  const stage = createStage(dir)
  let after = ''

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
      let count = 0
      for (;;) {
        const files = await listStoredFiles(db, projectId, after, BATCH_SIZE)
        for (const file of files) {
          try {
            await copyOne(file)
            count++
          } catch (error) {
            if (!(error instanceof MissingBytes)) throw error
          }
        }
        after = files.at(-1)?.id ?? after
        if (files.length < BATCH_SIZE) return count
      }
    },
    [Symbol.asyncDispose]: () => everything.disposeAsync(),
  }
}
