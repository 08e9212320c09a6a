import type { Mode } from './config/config.ts'
import type { Seal } from './seal.ts'

/** The route that serves files by link, without another credential. */
export const MEDIA_LINK_PATH = '/v1/media-links'

const CONTEXT = 'media-link'

/** The target of a media link: the file of one message. */
export type MediaLink = { projectId: string; mode: Mode; instanceId: string; messageId: string }

/** Returns the token of a link that is valid until `until`, in epoch milliseconds. It is opaque and cannot be forged. */
export function makeMediaLink(seal: Seal, link: MediaLink, until: number): string {
  const { projectId, mode, instanceId, messageId } = link
  const text = JSON.stringify([until, projectId, mode, instanceId, messageId])
  return seal.close(Buffer.from(text), CONTEXT).toString('base64url')
}

/** Returns the target of a token; null if it is invalid, expired, or sealed with another master key. */
export function readMediaLink(seal: Seal, token: string, now: number): MediaLink | null {
  try {
    const text = seal.open(Buffer.from(token, 'base64url'), CONTEXT).toString()
    const [until, projectId, mode, instanceId, messageId] = JSON.parse(text) as [
      number,
      string,
      Mode,
      string,
      string,
    ]
    return until >= now ? { projectId, mode, instanceId, messageId } : null
  } catch {
    return null
  }
}
