import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
} from 'node:crypto'
import { pipeline, Transform, type Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { proto, WASocket } from 'baileys'
import type { Clock } from '../../kernel/clock.ts'
import type { OutboundClient } from '../../platform/egress/outbound-client.ts'
import { discardBody } from '../../platform/egress/follow-redirects.ts'
import { startBudget } from '../../kernel/budget.ts'
import type { OutboundMedia } from '../network.port.ts'
import { mediaConnectionOf } from './media-connection.ts'
import type { MediaKind } from '../../model/vocabulary.ts'

/** What can be downloaded: a file of a message, or a part of the history. */
type SourceKind = MediaKind | 'history'
/** Where a file's encrypted bytes are, and the key (base64) that decrypts them. */
export type MediaSource = {
  kind: SourceKind
  url: string
  mediaKey: string
  /** The file's message, to request a new upload from the phone; missing in sources stored by older releases. */
  key?: { id: string; remoteJid: string; fromMe: boolean; participant: string | null }
}

/** WhatsApp's media host does not have the file, or no longer has it. */
export class MediaGoneError extends Error {
  constructor(status: number) {
    super(`WhatsApp's media host does not have the file: HTTP ${status}`)
    this.name = 'MediaGoneError'
  }
}
const GONE = new Set([403, 404, 410])
/** An uploaded file, as messages refer to it. */
export type Uploaded = Required<
  Pick<proto.Message.IImageMessage, 'url' | 'directPath' | 'fileSha256' | 'fileLength' | 'mimetype'>
> &
  /** Absent for a file of a channel, which is not encrypted. */
  Pick<proto.Message.IImageMessage, 'mediaKey' | 'fileEncSha256'> & {
    /** Names a file of a channel in its post. */
    handle?: string
  }

/** Longer than any transfer takes on a usable connection. */
const TRANSFER_TIMEOUT_MS = 120_000
const MAX_PICTURE_BYTES = 1024 * 1024
const MAC_BYTES = 10
const BLOCK_BYTES = 16
const ORIGIN = 'https://web.whatsapp.com'
const OWN_HOSTS = /(^|\.)whatsapp\.net$/
/** The host that has a file whose message names none. */
export const DEFAULT_HOST = 'mmg.whatsapp.net'
/** Whether an address leads to no file: web clients give such a one with stickers. */
export const isPlaceholder = (url: string): boolean => url.startsWith('https://web.whatsapp.net')
const MAX_HOSTS = 3

/** Creates the transfer of files to and from WhatsApp's media hosts: encrypts uploads and decrypts downloads. */
export function createWhatsAppMedia(deps: {
  clock: Clock
  outboundClient: Pick<OutboundClient, 'download'>
  /** A server that replaces WhatsApp, from which downloads are allowed, too. */
  replacementHost: string | null
}) {
  const { clock, outboundClient: door, replacementHost: ownHost } = deps

  async function transfer(url: URL, body: { stream: Readable; bytes: number } | null) {
    const budget = startBudget(clock, TRANSFER_TIMEOUT_MS)
    const headers = {
      origin: ORIGIN,
      ...(body
        ? { 'content-type': 'application/octet-stream', 'content-length': String(body.bytes) }
        : {}),
    }
    const method = body ? ('POST' as const) : ('GET' as const)
    try {
      const answer = await door.download({
        url,
        method,
        headers,
        budget,
        body: body?.stream ?? null,
      })
      if (answer.status === 200) {
        answer.body.once('close', () => budget.end())
        return answer.body
      }
      discardBody(answer)
      if (GONE.has(answer.status)) throw new MediaGoneError(answer.status)
      throw new Error(`${method} to media host ${url.hostname} returned HTTP ${answer.status}`)
    } catch (error) {
      budget.end()
      throw error
    }
  }

  /** Throws unless the address is on a media host of WhatsApp. */
  function requireOwnHost(address: string): URL {
    const url = new URL(address)
    if (url.protocol === 'https:' && (OWN_HOSTS.test(url.hostname) || url.hostname === ownHost))
      return url
    throw new Error(`cannot download file: ${url.origin} is not a media host of WhatsApp`)
  }

  /** Uploads bytes under their hash to the first media host that takes them. */
  async function place(
    socket: WASocket,
    file: {
      id: string
      folder: string
      hash: Buffer
      bytes: number
      open: () => Promise<Readable>
    },
  ): Promise<{ url: string; directPath: string; handle?: string }> {
    const token = file.hash.toString('base64url')
    const connection = await mediaConnectionOf(socket, clock)
    let problem: unknown
    for (const hostname of connection.hosts.slice(0, MAX_HOSTS)) {
      const url = new URL(`/${file.folder}/${token}`, `https://${hostname}`)
      url.search = new URLSearchParams({ auth: connection.auth, token }).toString()
      try {
        const answer = await transfer(url, { stream: await file.open(), bytes: file.bytes })
        const placed = (await json(answer)) as Placed
        if (!placed.url || !placed.direct_path)
          throw new Error(`upload to ${hostname} returned no location`)
        const { url: address, direct_path: directPath, handle } = placed
        return { url: address, directPath, ...(handle ? { handle } : {}) }
      } catch (error) {
        problem = error
      }
    }
    throw new Error(`cannot upload file ${file.id}: all media hosts failed`, { cause: problem })
  }

  return {
    /** Encrypts and uploads a file. Reads it twice: first to hash the ciphertext, whose hash names the upload. */
    async upload(socket: WASocket, media: OutboundMedia, kind: MediaKind): Promise<Uploaded> {
      const mediaKey = randomBytes(32)
      const keys = deriveKeys(mediaKey, kind)
      const hash = createHash('sha256')
      const measuring = encrypt(await media.open(), keys)
      for await (const chunk of measuring) hash.update(chunk as Buffer)
      const fileEncSha256 = hash.digest()
      const placed = await place(socket, {
        id: media.id,
        folder: `mms/${hostKind(kind)}`,
        hash: fileEncSha256,
        bytes: encryptedBytes(media.sizeBytes),
        open: async () => encrypt(await media.open(), keys),
      })
      return { ...placed, ...factsOf(media), mediaKey, fileEncSha256 }
    },

    /** Uploads a file of a channel, which is not encrypted. Source: UploadNewsletter of whatsmeow. */
    async uploadForChannel(
      socket: WASocket,
      media: OutboundMedia,
      kind: MediaKind,
    ): Promise<Uploaded> {
      const placed = await place(socket, {
        id: media.id,
        folder: `newsletter/newsletter-${hostKind(kind)}`,
        hash: Buffer.from(media.sha256, 'hex'),
        bytes: media.sizeBytes,
        open: media.open,
      })
      return { ...placed, ...factsOf(media) }
    },

    /** Returns the bytes of a picture, which is not encrypted. Throws above 1 MiB. */
    async readPicture(address: string): Promise<Buffer> {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of await transfer(requireOwnHost(address), null)) {
        size += (chunk as Buffer).length
        if (size > MAX_PICTURE_BYTES)
          throw new Error(`cannot read picture: larger than ${MAX_PICTURE_BYTES} bytes`)
        chunks.push(chunk as Buffer)
      }
      return Buffer.concat(chunks)
    },

    /** Streams the decrypted bytes of a received file; the stream fails if the MAC does not match. */
    async download({ kind, url: address, mediaKey }: MediaSource): Promise<Readable> {
      const url = requireOwnHost(address)
      const keys = deriveKeys(Buffer.from(mediaKey, 'base64'), kind)
      return decrypt(await transfer(url, null), keys)
    },
  }
}

/** A media host's response to an upload. */
type Placed = { url?: string; direct_path?: string; handle?: string }

/** The name of a kind on the media hosts. */
const hostKind = (kind: MediaKind): string => (kind === 'sticker' ? 'image' : kind)

const factsOf = ({ sha256, sizeBytes, mimeType }: OutboundMedia) => ({
  fileSha256: Buffer.from(sha256, 'hex'),
  fileLength: sizeBytes,
  mimetype: mimeType,
})

/** The operations that `createWhatsAppMedia` returns. */
export type WhatsAppMedia = ReturnType<typeof createWhatsAppMedia>
type Keys = { iv: Buffer; cipherKey: Buffer; macKey: Buffer }

const KEY_INFO: Record<SourceKind, string> = {
  history: 'WhatsApp History Keys',
  image: 'WhatsApp Image Keys',
  sticker: 'WhatsApp Image Keys',
  video: 'WhatsApp Video Keys',
  audio: 'WhatsApp Audio Keys',
  document: 'WhatsApp Document Keys',
}

function deriveKeys(mediaKey: Buffer, kind: SourceKind): Keys {
  const bytes = Buffer.from(hkdfSync('sha256', mediaKey, Buffer.alloc(0), KEY_INFO[kind], 112))
  return {
    iv: bytes.subarray(0, 16),
    cipherKey: bytes.subarray(16, 48),
    macKey: bytes.subarray(48, 80),
  }
}

/** Encrypts with AES-256-CBC and appends the first bytes of a MAC over IV and ciphertext. */
function encrypt(plain: Readable, { iv, cipherKey, macKey }: Keys): Readable {
  const cipher = createCipheriv('aes-256-cbc', cipherKey, iv)
  const mac = createHmac('sha256', macKey).update(iv)
  const signed = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      mac.update(chunk)
      done(null, chunk)
    },
    flush(done) {
      done(null, mac.digest().subarray(0, MAC_BYTES))
    },
  })
  // An error anywhere in the pipeline also destroys the returned stream.
  return pipeline(plain, cipher, signed, () => {})
}

function decrypt(sealed: Readable, { iv, cipherKey, macKey }: Keys): Readable {
  const mac = createHmac('sha256', macKey).update(iv)
  let held: Buffer = Buffer.alloc(0)
  const checked = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const all = Buffer.concat([held, chunk])
      const ready = Math.max(0, all.length - MAC_BYTES)
      held = all.subarray(ready)
      mac.update(all.subarray(0, ready))
      done(null, all.subarray(0, ready))
    },
    flush(done) {
      const good = held.equals(mac.digest().subarray(0, MAC_BYTES))
      done(good ? null : new Error('cannot decrypt file: the MAC does not match'))
    },
  })
  const decipher = createDecipheriv('aes-256-cbc', cipherKey, iv)
  return pipeline(sealed, checked, decipher, () => {})
}

/** Returns the size of a file after encryption, with padding and MAC. */
function encryptedBytes(plain: number): number {
  return plain - (plain % BLOCK_BYTES) + BLOCK_BYTES + MAC_BYTES
}
