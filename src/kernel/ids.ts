import { randomBytes, randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const POOL = Buffer.alloc(16 * 256)
let poolAt = POOL.length
let lastTime = 0
let counter = 0

/** The prefix of an id, which identifies the type of resource. */
export type IdPrefix =
  | 'acc'
  | 'prj'
  | 'usr'
  | 'key'
  | 'ins'
  | 'msg'
  | 'con'
  | 'cnv'
  | 'whk'
  | 'evt'
  | 'cmp'
  | 'not'
  | 'qrp'
  | 'sch'
  | 'med'
  | 'lab'
  | 'phn'
  | 'box'
  | 'ses'
  | 'req'
  | 'grt'
  | 'inv'
  | 'sir'

/** Takes random bytes from a pool: a system call per id would cost more than the rest of the id. */
function takeRandom(count: number): Buffer {
  if (poolAt + count > POOL.length) {
    randomFillSync(POOL)
    poolAt = 0
  }
  poolAt += count
  return POOL.subarray(poolAt - count, poolAt)
}

/**
 * Creates a TypeID: the prefix and a UUIDv7 in base32. `now` is in milliseconds since the Unix epoch. Ids created by
 * one process in the same millisecond sort in creation order, because the 12 bits after the time are a counter.
 */
export function newId(prefix: IdPrefix, now: number): string {
  if (now > lastTime) {
    lastTime = now
    counter = 0
  } else if (++counter > 0xfff) {
    lastTime++
    counter = 0
  }
  const bytes = new Uint8Array(16)
  let time = lastTime
  for (let index = 5; index >= 0; index--) {
    bytes[index] = time % 256
    time = Math.floor(time / 256)
  }
  bytes.set(takeRandom(8), 8)
  bytes[6] = 0x70 | (counter >> 8)
  bytes[7] = counter & 0xff
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return `${prefix}_${base32(bytes)}`
}

/** Encodes 128 bits as 26 characters, with two leading zero bits as the TypeID specification requires. */
function base32(bytes: Uint8Array): string {
  let text = ''
  let bits = 2
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    bits += 8
    while (bits >= 5) {
      bits -= 5
      text += ALPHABET[(value >> bits) & 31]
    }
    value &= (1 << bits) - 1
  }
  return text
}

const SECRET_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Returns `length` random characters of [A-Za-z0-9], uniformly distributed. */
export function randomAlphanumeric(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 that fits in a byte; using larger values would favor the first letters.
      if (byte < 248 && text.length < length) text += SECRET_ALPHABET[byte % 62]
    }
  }
  return text
}

/** Creates a random token with 256 bits of entropy; its prefix identifies its type. */
export function randomToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** Creates a network message id in the form used by WhatsApp's own web client. */
export function newWaMessageId(): string {
  return `3EB0${takeRandom(9).toString('hex').toUpperCase()}`
}

/** Returns a number in [0, 1). Not for secrets. */
export function random(): number {
  return Math.random()
}
