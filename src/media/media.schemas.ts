import { Type, type Static } from 'typebox'
import type { MediaRule } from '../model/media-fields.ts'
import { Nullable, Timestamp } from '../kernel/schemas.ts'

/** An uploaded file (G32). */
export const UploadedMedia = Type.Object(
  {
    id: Type.String(),
    mimeType: Type.String(),
    fileName: Nullable(Type.String()),
    sizeBytes: Type.Integer(),
    sha256: Type.String(),
    expiresAt: Timestamp,
  },
  {
    title: 'UploadedMedia',
    examples: [
      {
        id: 'med_01jcqz3v8xf6k9m2n4p5r7s8t9',
        mimeType: 'image/jpeg',
        fileName: 'foto.jpg',
        sizeBytes: 48_213,
        sha256: 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9',
        expiresAt: '2026-12-20T12:00:00.000Z',
      },
    ],
  },
)
export type UploadedMedia = Static<typeof UploadedMedia>

/** What a message kind requires of its file. */
export type MediaDemand = { rule: MediaRule; kind: string; voice: boolean }

/** What the picture of a profile requires of its file. */
export const PORTRAIT: MediaDemand = {
  rule: { types: /^image\//, maxBytes: 16 * 1024 * 1024, image: 'portrait' },
  kind: 'image',
  voice: false,
}
