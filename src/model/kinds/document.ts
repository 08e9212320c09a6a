import { defineMessageKind } from '../define-message-kind.ts'
import { captioned, MAX_MEDIA_BYTES, notOnceOnly, noVoice } from '../media-fields.ts'

/** A file that is sent unchanged. */
export const document = defineMessageKind({
  name: 'document',
  path: '/media',
  summary: 'Enviar imagem, vídeo, áudio ou documento',
  fields: { ...captioned, ...noVoice, ...notOnceOnly },
  toContent: ({ caption = null }) => ({ type: 'document' as const, caption }),
  example: { type: 'document', caption: 'o contrato' },
  textOf: (content) => content.caption,
  media: { types: null, maxBytes: MAX_MEDIA_BYTES, image: null },
})
