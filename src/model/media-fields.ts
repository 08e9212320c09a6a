import { Type, type Static } from 'typebox'
import { Nullable } from '../kernel/schemas.ts'

/** Which files a kind takes, and what becomes of them. Sizes in bytes. */
export type MediaRule = {
  /** The types that are taken, as sniffed; null: any. */
  types: RegExp | null
  /** The largest file that is taken. */
  maxBytes: number
  /** How an image is made to fit: a photograph as JPEG or PNG, a sticker as WebP of 512 pixels; null leaves it. */
  image: 'photo' | 'sticker' | null
}

const MEDIA_LIMIT = 100 * 1024 * 1024
/** The largest upload (G32). */
export const MAX_MEDIA_BYTES = MEDIA_LIMIT

/** Where the file of a send comes from: exactly one of the three. */
export const MediaInput = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })),
    base64: Type.Optional(Type.String()),
    mediaId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    mimeType: Type.Optional(
      Nullable(
        Type.String({
          maxLength: 200,
          pattern: '^[\\w.+-]+/[\\w.+-]+ *(;.*)?$',
          examples: ['image/jpeg'],
        }),
      ),
    ),
    fileName: Type.Optional(Nullable(Type.String({ maxLength: 255 }))),
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

/** The longest caption of a file. */
export const MAX_CAPTION_LENGTH = 1024
/** The fields that kinds with a file share; those that say nothing of a kind may only be empty in its body. */
export const captioned = {
  media: MediaInput,
  caption: Type.Optional(Nullable(Type.String({ maxLength: MAX_CAPTION_LENGTH }))),
}
/** The field of kinds that can be viewed once. */
export const onceOnly = { viewOnce: Type.Optional(Type.Boolean()) }
/** The field of kinds without a caption. */
export const noCaption = { caption: Type.Optional(Type.Null()) }
/** The field of kinds that are no voice note. */
export const noVoice = { voice: Type.Optional(Type.Literal(false)) }
/** The field of kinds that cannot be viewed once. */
export const notOnceOnly = { viewOnce: Type.Optional(Type.Literal(false)) }
