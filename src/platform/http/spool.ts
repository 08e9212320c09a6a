import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

export type Spooled = { bytes: number; stream: Readable }

/**
 * Reads a body to its end: up to `inMemory` bytes of it into memory, a longer one into a file that has no name any more, so that
 * nothing is left when the process dies. Returns null as soon as it exceeds `limit`.
 */
export async function spool(
  payload: Readable,
  { dir, inMemory, limit }: { dir: string; inMemory: number; limit: number },
): Promise<Spooled | null> {
  const chunks: Buffer[] = []
  let bytes = 0
  let file: Awaited<ReturnType<typeof openNameless>> | null = null
  try {
    // What comes after the limit is left to the caller, who still has to answer.
    for await (const chunk of payload.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) return null
      chunks.push(chunk)
      if (bytes <= inMemory) continue
      file ??= await openNameless(dir)
      await file.writev(chunks.splice(0))
    }
    const stream = file ? file.createReadStream({ start: 0 }) : Readable.from(chunks)
    // The stream closes the file.
    file = null
    return { bytes, stream }
  } finally {
    await file?.close()
  }
}

async function openNameless(dir: string) {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const path = join(dir, randomUUID())
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}
