import { Type } from 'typebox'
import { defineMessageKind } from '../define-message-kind.ts'
import { MediaInput, noCaption, onceOnly } from '../media-fields.ts'

/** An audio file, or a voice note. */
export const audio = defineMessageKind({
  name: 'audio',
  path: '/media',
  summary: 'Enviar imagem, vídeo, áudio ou documento',
  fields: {
    media: MediaInput,
    voice: Type.Optional(
      Type.Boolean({
        description:
          'Mensagem de voz. OGG com Opus é enviado como está; MP3, M4A, AAC, WAV, FLAC, WebM e outros OGG são convertidos',
      }),
    ),
    ...onceOnly,
    ...noCaption,
  },
  toContent: ({ voice = false, viewOnce = false }) => ({
    type: 'audio' as const,
    voice,
    viewOnce,
  }),
  example: { type: 'audio', voice: true, viewOnce: false },
  textOf: () => null,
  media: {
    types: /^audio\/(ogg|mpeg|mp4|x-m4a|aac|amr|opus)(;.*)?$/,
    maxBytes: 16 * 1024 * 1024,
    image: null,
  },
})
