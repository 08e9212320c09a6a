import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { NoContent } from '../../kernel/schemas.ts'
import { responses } from '../../platform/http/responses.ts'
import { fileResponses, sendFile } from '../../platform/http/send-bytes.ts'
import type { Picture } from './profiles.service.ts'

const NO_VISIBLE_PICTURE = 'Sem foto, ou nenhuma que este número possa ver'

/** The responses of a route that serves a picture. */
export const pictureOf = (own: Parameters<typeof responses>[2] = {}) => ({
  ...responses({}, [400, 401, 402, 403, 404, 409, 416], own),
  ...fileResponses({ contentMediaType: 'image/jpeg', description: 'A foto, em JPEG' }),
  204: { ...NoContent, description: NO_VISIBLE_PICTURE },
})

/** Sends a picture, or 204 if there is none. */
export async function sendPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  picture: Picture | null,
): Promise<FastifyReply> {
  if (!picture) return reply.code(204).send()
  const { bytes, sha256 } = picture
  const file = { mimeType: 'image/jpeg', fileName: null, sizeBytes: bytes.length, sha256 }
  return sendFile(request, reply, { ...file, maxAgeSeconds: 60 }, async (range) =>
    Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
  )
}
