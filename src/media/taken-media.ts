import { showMedia, type Media } from '../model/media-fields.ts'
import type { MediaDemand } from './media.schemas.ts'

/** The file of a send; `fresh` if it was stored for this send only. */
export type StoredMedia = { media: Media; fresh: boolean }

/** The facts of a file that is not fetched yet. */
export const UNKNOWN_FACTS = {
  sizeBytes: null,
  sha256: null,
  durationSeconds: null,
  width: null,
  height: null,
}

/** Describes a file that was stored for a send. */
export const taken = (
  kept: Omit<Media, 'voice' | 'status'>,
  { voice }: MediaDemand,
): StoredMedia => ({
  media: showMedia({ ...kept, voice, status: 'available' }),
  fresh: true,
})
