import type { WASocket } from 'baileys'
import { delay, type Clock } from '../../kernel/clock.ts'
import type { NetworkSession } from '../network.port.ts'
import {
  DEFAULT_HOST,
  isPlaceholder,
  MediaGoneError,
  type MediaSource,
  type WhatsAppMedia,
} from './media.ts'

/** An offline phone uploads nothing; until the timeout, a file is not requested a second time. */
const UPLOAD_TIMEOUT_MS = 30_000
const MAX_IN_FLIGHT = 8

/**
 * Creates the download of received files. A file that WhatsApp's host no longer has is requested from the phone, which
 * uploads it again.
 */
export function createDownloader(deps: {
  clock: Clock
  media: WhatsAppMedia
  socket: () => WASocket | null
}): NetworkSession['download'] {
  const { clock, media } = deps
  const requests = new Map<string, Promise<string>>()

  /** Asks the phone for a new upload and resolves with its path. */
  async function requestUpload(source: MediaSource, key: NonNullable<MediaSource['key']>) {
    const socket = deps.socket()
    if (!socket)
      throw new Error(`cannot request the file of message ${key.id}: not connected to WhatsApp`)
    const file = {
      mediaKey: Buffer.from(source.mediaKey, 'base64'),
      url: source.url,
      directPath: '',
    }
    const { participant, ...place } = key
    const message = {
      key: { ...place, ...(participant ? { participant } : {}) },
      message: { [`${source.kind}Message`]: file },
    }
    const late = delay(clock, UPLOAD_TIMEOUT_MS).then(() => null)
    if ((await Promise.race([socket.updateMediaMessage(message), late])) === null) {
      throw new Error(
        `no new upload of the file of message ${key.id} within ${UPLOAD_TIMEOUT_MS} ms`,
      )
    }
    return file.directPath
  }

  function request(source: MediaSource, key: NonNullable<MediaSource['key']>): Promise<string> {
    const known = requests.get(key.id)
    if (known) return known
    if (requests.size >= MAX_IN_FLIGHT)
      throw new Error(
        `cannot request the file of message ${key.id}: ${MAX_IN_FLIGHT} requests are pending`,
      )
    const made = requestUpload(source, key).finally(() => requests.delete(key.id))
    requests.set(key.id, made)
    return made
  }

  return async (input, onSlow) => {
    const source = input as MediaSource
    try {
      return await media.download(source)
    } catch (error) {
      const isGone = error instanceof MediaGoneError || isPlaceholder(source.url)
      if (!isGone || !source.key) throw error
      onSlow?.()
      const path = await request(source, source.key)
      const host = isPlaceholder(source.url) ? `https://${DEFAULT_HOST}` : source.url
      return media.download({ ...source, url: new URL(path, host).href })
    }
  }
}
