import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { newId } from '../kernel/ids.ts'
import { MediaProblem } from './media-problem.ts'
import type { StagedFile } from './store.port.ts'

/** A directory for files that are being received. */
export type Stage = {
  /** Streams to disk, never whole in memory. Throws MediaProblem if it is too large or empty. */
  write(source: Readable, maxBytes: number): Promise<StagedFile>
  /** Returns a new path for a tool to write to. */
  name(): string
  /** Adopts a file that a tool has written to such a path: computes its size and hash. */
  adopt(path: string): Promise<StagedFile>
}

/** Creates a stage in an existing directory. */
export function createStage(dir: string): Stage {
  const name = () => join(dir, newId('med', 0))
  const staged = (path: string, sizeBytes: number, sha256: string): StagedFile => ({
    path,
    sizeBytes,
    sha256,
    [Symbol.asyncDispose]: () => rm(path, { force: true }),
  })
  return {
    name,
    async write(source, maxBytes) {
      const path = name()
      const hash = createHash('sha256')
      let sizeBytes = 0
      try {
        await pipeline(
          source,
          async function* measure(chunks: AsyncIterable<Buffer>) {
            for await (const chunk of chunks) {
              sizeBytes += chunk.length
              if (sizeBytes > maxBytes) throw new MediaProblem('too_large', mebibytes(maxBytes))
              hash.update(chunk)
              yield chunk
            }
          },
          createWriteStream(path, { mode: 0o600 }),
        )
        if (sizeBytes === 0) throw new MediaProblem('empty')
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
      return staged(path, sizeBytes, hash.digest('hex'))
    },
    async adopt(path) {
      const hash = createHash('sha256')
      let sizeBytes = 0
      for await (const chunk of createReadStream(path)) {
        sizeBytes += (chunk as Buffer).length
        hash.update(chunk as Buffer)
      }
      return staged(path, sizeBytes, hash.digest('hex'))
    },
  }
}

function mebibytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MiB`
}
