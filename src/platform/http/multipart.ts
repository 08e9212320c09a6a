import fastifyMultipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { fail } from '../../kernel/phrases/fail.ts'
import { refuseBadText } from './json-body.ts'

const MAX_FIELDS = 50
const MAX_FIELD_BYTES = 128 * 1024

/** The stored file of an upload, with the media type and file name the client declared, or null. */
export type UploadedFile<File> = { file: File; mimeType: string | null; fileName: string | null }

/** The schema of a multipart body, for the API reference only: streamed bodies are not validated as a whole. */
export const multipartBodySchema = (fields: object = {}) => ({
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', format: 'binary' }, ...fields },
      },
    },
  },
})

/** Registers the multipart parser for the routes of this scope, which then accept only multipart bodies. */
export async function registerMultipart(server: Pick<FastifyInstance, 'register'>): Promise<void> {
  await server.register(fastifyMultipart)
}

/**
 * Reads a multipart body with one part `file`, which `store` stores while it arrives, and text parts in any order; a name
 * may be repeated.
 * Throws 400 for an incomplete or malformed body, after disposing of the stored file.
 */
export async function readMultipart<File extends AsyncDisposable>(
  request: FastifyRequest,
  store: (stream: Readable) => Promise<File>,
): Promise<{ fields: Record<string, string[]>; upload: UploadedFile<File> }> {
  if (!request.isMultipart()) {
    throw fail('unsupported_media_type', (say) => say.media.multipartOnly)
  }
  // A client that left while its upload waited: its body would emit neither data nor an end.
  if (request.raw.destroyed && !request.raw.readableEnded)
    throw fail('bad_request', (say) => say.http.malformedRequest)
  const fields: Record<string, string[]> = {}
  let upload: UploadedFile<File> | null = null
  const limits = {
    fileSize: Number.MAX_SAFE_INTEGER,
    fieldSize: MAX_FIELD_BYTES,
    fields: MAX_FIELDS,
    files: 2,
    headerPairs: 20,
  }
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'file') {
        if (upload) throw fail('bad_request', (say) => say.media.oneFile, { field: 'file' })
        if (part.fieldname !== 'file') {
          throw fail('bad_request', (say) => say.http.unknownField(part.fieldname))
        }
        upload = { file: await store(part.file), ...describe(part) }
      } else {
        if (part.valueTruncated) {
          throw fail('bad_request', (say) => say.http.tooLong(part.fieldname, MAX_FIELD_BYTES))
        }
        const values = (fields[part.fieldname] ??= [])
        values.push(String(part.value))
      }
    }
    refuseBadText(fields, '')
    refuseBadText(upload && { fileName: upload.fileName, mimeType: upload.mimeType }, '')
    if (!upload) throw fail('bad_request', (say) => say.media.fileRequired, { field: 'file' })
    return { fields, upload }
  } catch (error) {
    await upload?.file[Symbol.asyncDispose]()
    // Read and discard the rest of the body: most clients read the response only after they have sent everything.
    request.raw.unpipe()
    request.raw.resume()
    const code = (error as { code?: unknown }).code
    if (code === 'FST_FIELDS_LIMIT')
      throw fail('bad_request', (say) => say.media.manyFields(MAX_FIELDS), { cause: error })
    const malformed =
      (typeof code === 'string' && code.startsWith('FST_')) ||
      // The parser's error for a boundary of more than 252 characters mentions a needle that is too long.
      (error instanceof Error &&
        /multipart|needle|Unexpected end|premature|aborted/i.test(error.message))
    if (!malformed) throw error
    throw fail('bad_request', (say) => say.media.multipart, { cause: error })
  }
}

/** The parser's default for a part without a media type. */
const UNDECLARED = 'text/plain'

function describe(part: MultipartFile) {
  const declared = /^[\w.+-]+\/[\w.+-]+$/.test(part.mimetype) && part.mimetype !== UNDECLARED
  return { mimeType: declared ? part.mimetype : null, fileName: part.filename || null }
}
