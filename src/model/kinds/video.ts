import { Type } from 'typebox'
import { defineMessageKind } from '../define-message-kind.ts'
import { captioned, noVoice, onceOnly } from '../media-fields.ts'

type VideoContent = {
  type: 'video'
  caption: string | null
  viewOnce: boolean
  /** Plays in a loop without sound, like a GIF. */
  gif?: boolean
}

/** A video, with an optional caption. */
export const video = defineMessageKind({
  name: 'video',
  path: '/media',
  summary: 'Enviar imagem, vídeo, áudio ou documento',
  fields: {
    ...captioned,
    ...onceOnly,
    ...noVoice,
    gif: Type.Optional(
      Type.Boolean({ description: 'Mostra o vídeo como um GIF, que se repete sem som' }),
    ),
  },
  toContent: ({ caption = null, viewOnce = false, gif = false }): VideoContent => ({
    type: 'video',
    caption,
    viewOnce,
    ...(gif ? { gif } : {}),
  }),
  example: { type: 'video', caption: null, viewOnce: false, gif: true },
  textOf: (content) => content.caption,
  media: { types: /^video\/(mp4|3gpp|quicktime)$/, maxBytes: 64 * 1024 * 1024, image: null },
})
