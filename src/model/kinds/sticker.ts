import { defineMessageKind } from '../define-message-kind.ts'
import { MediaInput } from '../media-fields.ts'

/** A sticker. */
export const sticker = defineMessageKind({
  name: 'sticker',
  path: '/sticker',
  summary: 'Enviar uma figurinha',
  fields: { media: MediaInput },
  toContent: () => ({ type: 'sticker' as const }),
  example: { type: 'sticker' },
  textOf: () => null,
  media: {
    types: /^image\/(jpeg|png|webp|gif|avif|tiff)$/,
    maxBytes: 16 * 1024 * 1024,
    image: 'sticker',
  },
})
