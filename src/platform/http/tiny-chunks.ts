import type { FastifyRequest } from 'fastify'

/** Chunks that a body may have before their size matters. */
const FREE_CHUNKS = 1000
const MIN_AVERAGE_BYTES = 8

/**
 * Closes connections that send a body in chunks of a few bytes: each chunk costs the event loop as much as a large one,
 * so that a few connections could occupy it. The lines of a list are longer.
 */
export function refuseTinyChunks(server: {
  addHook(name: 'onRequest', hook: (request: FastifyRequest) => Promise<void>): unknown
}): void {
  server.addHook('onRequest', async ({ raw, headers }) => {
    if (headers['transfer-encoding'] === undefined) return
    const push = raw.push.bind(raw)
    let chunks = 0
    let bytes = 0
    // Node calls it once for each chunk, before it joins what its reader has not taken yet.
    raw.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
      chunks++
      bytes += chunk?.length ?? 0
      if (chunks <= FREE_CHUNKS || bytes >= chunks * MIN_AVERAGE_BYTES) return push(chunk, encoding)
      raw.push = () => false
      raw.destroy(new Error(`body of ${bytes} bytes in ${chunks} chunks`))
      return false
    }
  })
}
