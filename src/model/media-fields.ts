import { Type, type Static } from 'typebox'
import { Nullable, Timestamp } from '../kernel/schemas.ts'

/** The files that a kind accepts, and how they are converted. Sizes are in bytes. */
export type MediaRule = {
  /** Accepted types, as detected from the bytes; null accepts any. */
  types: RegExp | null
  /** Maximum size of a file. */
  maxBytes: number
  /** How images are converted: a photo to JPEG or PNG, a sticker to WebP of 512 pixels, a portrait to a square JPEG of 640; null: not at all. */
  image: 'photo' | 'sticker' | 'portrait' | null
}

/** The type of a voice note; phones play one only if it names the codec. */
export const VOICE_TYPE = 'audio/ogg; codecs=opus'

/** Maximum size of a JSON body that may have a file in base64, in bytes (G29). */
export const MEDIA_BODY_BYTES = 16 * 1024 * 1024
const MEDIA_LIMIT = 100 * 1024 * 1024
/** Maximum size of an upload (G32). */
export const MAX_MEDIA_BYTES = MEDIA_LIMIT

/** The source of a file: exactly one of `url`, `base64` and `mediaId`. */
export const MediaInput = Type.Object(
  {
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        description: 'De onde o Recado baixa o arquivo, por http ou https',
      }),
    ),
    base64: Type.Optional(Type.String({ description: 'O arquivo em base64, até 12 MiB' })),
    mediaId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Um arquivo já enviado (`POST /v1/media`) ou recebido',
      }),
    ),
    mimeType: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 200,
          pattern: '^[\\w.+-]+/[\\w.+-]+ *(;.*)?$',
          description: 'O do arquivo, que é conferido',
          examples: ['image/jpeg'],
        }),
      ),
    ),
    fileName: Type.Optional(
      Nullable(Type.String({ maxLength: 255, description: 'O contato o vê em documentos' })),
    ),
  },
  { additionalProperties: false, title: 'MediaInput' },
)
export type MediaInput = Static<typeof MediaInput>

/** The states of a file. */
export const MEDIA_STATUSES = ['available', 'pending', 'failed', 'expired'] as const

/** The file of a message, as its record shows it (G32). */
export const Media = Type.Object(
  {
    id: Type.String(),
    mimeType: Nullable(Type.String()),
    fileName: Nullable(Type.String()),
    sizeBytes: Nullable(Type.Integer()),
    sha256: Nullable(Type.String({ description: 'Hexadecimal' })),
    durationSeconds: Nullable(Type.Number()),
    width: Nullable(Type.Integer()),
    height: Nullable(Type.Integer()),
    voice: Type.Boolean(),
    status: Type.Unsafe<(typeof MEDIA_STATUSES)[number]>({
      type: 'string',
      enum: [...MEDIA_STATUSES],
    }),
    url: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'Só em entregas de webhooks com `media: "link"`: baixa o arquivo sem chave',
      }),
    ),
    urlExpiresAt: Type.Optional(Timestamp),
  },
  { title: 'MessageMedia' },
)
export type Media = Static<typeof Media>

/** A file as the record of a message shows it. */
export function showMedia(row: Omit<Media, 'voice'> & { voice?: boolean }): Media {
  const { id, mimeType, fileName, sizeBytes, sha256, durationSeconds, width, height, status } = row
  const { voice = false } = row
  return {
    id,
    mimeType,
    fileName,
    sizeBytes,
    sha256,
    durationSeconds,
    width,
    height,
    voice,
    status,
  }
}

/** Maximum length of a caption. */
export const MAX_CAPTION_LENGTH = 1024
/** The fields of kinds with a file and a caption. */
export const captioned = {
  media: MediaInput,
  caption: Type.Optional(Nullable(Type.String({ maxLength: MAX_CAPTION_LENGTH }))),
}
/** The field of kinds that can be viewed once. */
export const onceOnly = { viewOnce: Type.Optional(Type.Boolean()) }
/** The field of kinds without a caption. */
export const noCaption = { caption: Type.Optional(Type.Null()) }
/** The field of kinds that cannot be a voice note. */
export const noVoice = { voice: Type.Optional(Type.Literal(false)) }
/** The field of kinds that cannot be viewed once. */
export const notOnceOnly = { viewOnce: Type.Optional(Type.Literal(false)) }
