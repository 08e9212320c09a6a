const LINE = '\r\n'
const CHUNK_BYTES = 64 * 1024
const quote = (name: string) => name.replace(/["\r\n]/g, encodeURIComponent)
/** A body of multipart/form-data whose files are read while they are sent, and again for each attempt. */
export function streamForm(fields: object) {
  const boundary = `recado-${crypto.randomUUID()}`
  const parts: Blob[] = []
  for (const [name, value] of Object.entries(fields) as [string, unknown][])
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      const head = `--${boundary}${LINE}content-disposition: form-data; name="${quote(name)}"`
      if (one instanceof Blob) {
        const { name: file = 'blob', type } = one as Partial<File>
        const about = `; filename="${quote(file)}"${LINE}content-type: ${type || 'application/octet-stream'}`
        parts.push(new Blob([head, about, LINE, LINE]), one, new Blob([LINE]))
      } else if (one !== undefined && one !== null) {
        const text = typeof one === 'string' ? one : JSON.stringify(one)
        parts.push(new Blob([head, LINE, LINE, text, LINE]))
      }
    }
  parts.push(new Blob([`--${boundary}--${LINE}`]))
  return {
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    // Else Node.js keeps what it has sent, to send it again after a redirect. Workers cannot refuse one.
    redirect: globalThis.navigator?.userAgent === 'Cloudflare-Workers' ? 'manual' : 'error',
    duplex: 'half',
    minMs: Math.ceil(parts.reduce((bytes, { size }) => bytes + size, 0) / 50), // 50 kB a second
    bodySerializer: () => streamOf(parts),
  }
}
/** Reads blobs one after the other, each part only when the connection asks for it: `Blob.stream` reads ahead. */
function streamOf(parts: Blob[]): ReadableStream<Uint8Array> {
  let [index, offset] = [0, 0]
  return new ReadableStream(
    {
      async pull(controller) {
        for (let part = parts[index]; part; part = parts[index]) {
          const chunk = part.slice(offset, offset + CHUNK_BYTES)
          offset += CHUNK_BYTES
          if (offset >= part.size) [index, offset] = [index + 1, 0]
          if (chunk.size > 0) return controller.enqueue(new Uint8Array(await chunk.arrayBuffer()))
        }
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
