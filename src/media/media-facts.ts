import type { MediaFacts } from '../networks/network-events.port.ts'
import type { MediaRow } from './media.sql.ts'

/** The metadata of a file, in the form in which networks announce them. */
export function factsOf(row: MediaRow): MediaFacts {
  const { mimeType, fileName, sizeBytes, sha256, durationSeconds, width, height } = row
  return {
    mimeType: mimeType ?? 'application/octet-stream',
    fileName,
    sizeBytes: sizeBytes ?? 0,
    sha256: sha256 ?? '',
    durationSeconds,
    width,
    height,
  }
}
