import { defineMessageKind } from '../define-message-kind.ts'
import { captioned, noVoice, onceOnly } from '../media-fields.ts'

/** A video, with an optional caption. */
export const video = defineMessageKind({
  name: 'video',
  path: '/media',
  summary: 'Enviar imagem, vídeo, áudio ou documento',
  fields: { ...captioned, ...onceOnly, ...noVoice },
  toContent: ({ caption = null, viewOnce = false }) => ({
    type: 'video' as const,
    caption,
    viewOnce,
  }),
  example: { type: 'video', caption: null, viewOnce: false },
  textOf: (content) => content.caption,
  media: { types: /^video\/(mp4|3gpp|quicktime)$/, maxBytes: 64 * 1024 * 1024, image: null },
})
