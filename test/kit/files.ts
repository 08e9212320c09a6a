// Small valid files. Only recordings are stored, because nothing here can encode them.
import { readdirSync, readFileSync } from 'node:fs'
import sharp from 'sharp'

const COLOR = { r: 200, g: 30, b: 90 }

/** An image of one color in the given format. */
export const image = (
  format: 'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif',
  width = 40,
  height = 30,
) =>
  sharp({ create: { width, height, channels: 3, background: COLOR } })
    .toFormat(format)
    .toBuffer()

/** A small PNG file of 108 million pixels. */
export const pixelBomb = () => image('png', 12_000, 9000)

/** An Ogg file with the two Opus headers and a second of silence. */
export const voice = (): Buffer => oggOf([Buffer.from([0xf8, 0xff, 0xfe])], 48_000)

/** An Ogg file of Opus packets of at most 255 bytes, each with `samples` samples at 48 kHz. */
export function oggOf(packets: Buffer[], samples: number): Buffer {
  const head = Buffer.concat([
    Buffer.from('OpusHead'),
    Buffer.from([1, 1, 0, 0]),
    uint32le(48_000),
    Buffer.from([0, 0, 0]),
  ])
  const tags = Buffer.concat([
    Buffer.from('OpusTags'),
    uint32le(4),
    Buffer.from('test'),
    uint32le(0),
  ])
  return Buffer.concat([
    oggPage(head, 2, 0, 0),
    oggPage(tags, 0, 1, 0),
    ...packets.map((packet, index) =>
      oggPage(packet, index === packets.length - 1 ? 4 : 0, index + 2, (index + 1) * samples),
    ),
  ])
}

function oggPage(payload: Buffer, flags: number, sequence: number, granule: number): Buffer {
  const header = Buffer.alloc(27)
  header.write('OggS', 0)
  header[5] = flags
  header.writeBigUInt64LE(BigInt(granule), 6)
  header.writeUInt32LE(1, 14)
  header.writeUInt32LE(sequence, 18)
  header[26] = 1
  const page = Buffer.concat([header, Buffer.from([payload.length]), payload])
  page.writeUInt32LE(oggChecksum(page), 22)
  return page
}

/** The checksum of an Ogg page: CRC-32 with the highest bit first, unlike that of zlib. */
function oggChecksum(page: Buffer): number {
  let checksum = 0
  for (const byte of page) {
    checksum ^= byte << 24
    for (let bit = 0; bit < 8; bit++)
      checksum = checksum < 0 ? (checksum << 1) ^ 0x04c11db7 : checksum << 1
  }
  return checksum >>> 0
}

const uint32le = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const box = (name: string, ...parts: Buffer[]) => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), ...parts])
  const size = Buffer.alloc(4)
  size.writeUInt32BE(body.length + 4)
  return Buffer.concat([size, body])
}

/** An Ogg file with the two Opus headers that claims a thousand seconds. */
export const longVoice = (): Buffer => oggOf([Buffer.from([0xf8, 0xff, 0xfe])], 48_000_000)

const RECORDINGS = new URL('recordings/', import.meta.url)

/** One and a half seconds of a tone, quiet in the first half, in every format that becomes a voice note, with names. */
export function recordings(): [string, Buffer][] {
  return readdirSync(RECORDINGS).map((name) => [name, readFileSync(new URL(name, RECORDINGS))])
}

/** An MP4 file whose header declares a duration of two seconds. */
export function video(): Buffer {
  const mvhd = Buffer.alloc(100)
  mvhd.writeUInt32BE(1000, 12)
  mvhd.writeUInt32BE(2000, 16)
  return Buffer.concat([
    box('ftyp', Buffer.from('isom'), Buffer.alloc(4), Buffer.from('isommp42')),
    box('moov', box('mvhd', mvhd)),
    box('mdat', Buffer.alloc(64)),
  ])
}

/** A minimal PDF. */
export const pdf = () => Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n')
/** An SVG with a script, which must never run in a browser. */
export const svg = () =>
  Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
/** An HTML page with a script, which must never run in a browser. */
export const html = () => Buffer.from('<!doctype html><script>alert(document.domain)</script>')

/** Builds a multipart/form-data body; a part with `fileName` is a file. */
export function multipart(
  parts: { name: string; value: string | Buffer; fileName?: string; type?: string }[],
): { body: Buffer; headers: { 'content-type': string } } {
  const boundary = 'recado-test-boundary'
  const chunks = parts.flatMap(({ name, value, fileName, type }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"` +
        (fileName === undefined ? '' : `; filename="${fileName}"`) +
        `\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`,
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  const body = Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)])
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } }
}
