import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'

/** A completely received body. */
export type Spooled = { bytes: number; stream: Readable }

/**
 * Receives a body completely: up to `inMemory` bytes into memory, a longer one into an unlinked file, so that nothing
 * is left behind when the process dies. Returns null as soon as the body exceeds `limit` bytes. Reads on when `pause` has
 * resolved, which is called with the number of bytes written to the file.
 */
export async function spool(
  payload: Readable,
  options: {
    dir: string
    inMemory: number
    limit: number
    pause: (bytes: number) => Promise<void>
  },
): Promise<Spooled | null> {
  const { dir, inMemory, limit, pause } = options
  const chunks: Buffer[] = []
  let bytes = 0
  let file: Awaited<ReturnType<typeof openNameless>> | null = null
  try {
    // The stream is not destroyed at the limit, because the caller still has to respond.
    for await (const chunk of payload.iterator({
      destroyOnReturn: false,
    }) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > limit) return null
      chunks.push(chunk)
      if (bytes <= inMemory) continue
      file ??= await openNameless(dir)
      const written = chunks.splice(0)
      await file.writev(written)
      await pause(written.reduce((sum, { length }) => sum + length, 0))
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
