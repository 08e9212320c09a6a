import { defineMessageKind } from '../define-message-kind.ts'
import { captioned, noVoice, onceOnly } from '../media-fields.ts'

/** An image, with an optional caption. */
export const image = defineMessageKind({
  name: 'image',
  path: '/media',
  summary: 'Enviar imagem, vídeo, áudio ou documento',
  fields: { ...captioned, ...onceOnly, ...noVoice },
  toContent: ({ caption = null, viewOnce = false }) => ({
    type: 'image' as const,
    caption,
    viewOnce,
  }),
  example: { type: 'image', caption: 'uma foto', viewOnce: true },
  textOf: (content) => content.caption,
  media: {
    types: /^image\/(jpeg|png|webp|gif|avif|tiff)$/,
    maxBytes: 16 * 1024 * 1024,
    image: 'photo',
  },
})
