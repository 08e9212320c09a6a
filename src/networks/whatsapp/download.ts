import type { WASocket } from 'baileys'
import { delay, type Clock } from '../../kernel/clock.ts'
import type { NetworkSession } from '../network.port.ts'
import { GoneFromHost, type MediaSource, type WhatsAppMedia } from './media.ts'

/** A phone that is off uploads nothing; what is asked for once is not asked for again meanwhile. */
const UPLOAD_TIMEOUT_MS = 30_000
const MAX_IN_FLIGHT = 8

/** Downloads files of messages. One that WhatsApp's host no longer has is requested from the phone, which uploads it again. */
export function createDownloader(deps: {
  clock: Clock
  media: WhatsAppMedia
  socket: () => WASocket | null
}): NetworkSession['download'] {
  const { clock, media } = deps
  const requests = new Map<string, Promise<string>>()

  /** Resolves with the path of the new upload. */
  async function requestUpload(source: MediaSource, key: NonNullable<MediaSource['key']>) {
    const socket = deps.socket()
    if (!socket) throw new Error('not connected')
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
      throw new Error(`the phone did not upload the file of message ${key.id} again`)
    }
    return file.directPath
  }

  function request(source: MediaSource, key: NonNullable<MediaSource['key']>): Promise<string> {
    const known = requests.get(key.id)
    if (known) return known
    if (requests.size >= MAX_IN_FLIGHT)
      throw new Error('too many files are requested from the phone')
    const made = requestUpload(source, key).finally(() => requests.delete(key.id))
    requests.set(key.id, made)
    return made
  }

  return async (input, onSlow) => {
    const source = input as MediaSource
    try {
      return await media.download(source)
    } catch (error) {
      if (!(error instanceof GoneFromHost) || !source.key) throw error
      onSlow?.()
      const path = await request(source, source.key)
      return media.download({ ...source, url: new URL(path, source.url).href })
    }
  }
}
