import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { fail } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'

/** The file to send. */
type File = {
  mimeType: string
  fileName: string | null
  sizeBytes: number
  sha256: string
  /** How long the caller may keep it; missing for files that never change. */
  maxAgeSeconds?: number
}
type Range = { start: number; end: number }

/** The responses of `sendFile`, for the API reference. */
export const fileResponses = (file: { description: string; contentMediaType?: string }) => ({
  200: Type.String({ format: 'binary', ...file }),
  206: Type.String({ format: 'binary', ...file, description: say.docs.files.range }),
  304: Type.Null({ description: say.docs.files.known }),
})

/**
 * Types that a browser may display; anything else could be a page or a script, and is only offered for download. The
 * sender of a file chose its type, which becomes a header.
 */
const INLINE_TYPES =
  /^(image\/(jpeg|png|webp|gif|avif)|(audio|video)\/[\w.+-]{1,80}|application\/pdf)(;[\x20-\x7e]{0,100})?$/

/**
 * Sends a file with headers that keep it from being interpreted as a page of this origin: the whole file, the one range
 * requested (RFC 9110 §14), or 304 if the caller already has it.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: File,
  open: (range?: Range) => Promise<Readable>,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const isKnown = request.headers['if-none-match']?.split(/,\s*/).includes(etag)
  const wanted = request.headers['if-range'] ?? etag
  const range = wanted === etag ? readRange(request.headers.range, file.sizeBytes) : null
  if (range === 'outside' && !isKnown) {
    void reply.header('content-range', `bytes */${file.sizeBytes}`)
    throw fail('range_not_satisfiable', (say) => say.http.outsideFile(file.sizeBytes))
  }
  const disposition = INLINE_TYPES.test(file.mimeType) ? 'inline' : 'attachment'
  void reply.headers({
    'content-type': INLINE_TYPES.test(file.mimeType) ? file.mimeType : 'application/octet-stream',
    'content-disposition': `${disposition}${nameParameters(file.fileName)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'cache-control':
      file.maxAgeSeconds === undefined
        ? 'private, max-age=86400, immutable'
        : `private, max-age=${file.maxAgeSeconds}`,
    'accept-ranges': 'bytes',
    etag,
  })
  if (isKnown || range === 'outside') return reply.code(304).removeHeader('content-type').send()
  if (range) {
    const { start, end } = range
    void reply.code(206).headers({
      'content-range': `bytes ${start}-${end}/${file.sizeBytes}`,
      'content-length': end - start + 1,
    })
    return reply.send(await open(range))
  }
  return reply.header('content-length', file.sizeBytes).send(await open())
}

/** Parses a single range. Returns null for none, several or an invalid one, in which case the whole file is sent. */
function readRange(header: string | undefined, size: number): Range | 'outside' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (!match || (match[1] === '' && match[2] === '')) return null
  const [, first = '', last = ''] = match
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'outside' : { start: size - length, end: size - 1 }
  }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start >= size) return 'outside'
  return end < start ? null : { start, end }
}

/** The file name in ASCII and in UTF-8 (RFC 6266). */
function nameParameters(name: string | null): string {
  if (!name) return ''
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return `; filename="${ascii}"; filename*=UTF-8''${encoded}`
}
