import { randomBytes, randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
const POOL = Buffer.alloc(16 * 256)
let poolAt = POOL.length
let lastTime = 0
let counter = 0

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
  | 'med'
  | 'lab'
  | 'phn'
  | 'box'
  | 'ses'
  | 'req'
  | 'grt'
  | 'inv'
  | 'sir'

/** Random bytes out of a pool: a call into the system for each id would cost more than the id. */
function takeRandom(count: number): Buffer {
  if (poolAt + count > POOL.length) {
    randomFillSync(POOL)
    poolAt = 0
  }
  poolAt += count
  return POOL.subarray(poolAt - count, poolAt)
}

/**
 * A TypeID: the prefix and a UUIDv7 in base32. Ids made by one process in one millisecond still sort in the
 * order in which they were made: the 12 bits behind the time count up.
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

/** 128 bits as 26 characters, two zero bits in front, as the TypeID specification has it. */
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

/** `length` characters of [A-Za-z0-9], each equally likely. */
export function randomAlphanumeric(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: above it the draw would favour the first letters.
      if (byte < 248 && text.length < length) text += SECRET_ALPHABET[byte % 62]
    }
  }
  return text
}

/** A random token with a prefix that tells its kind, 256 bits of entropy. */
export function randomToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

/** The id a message carries on the network, in the form WhatsApp's own web client uses. */
export function newWaMessageId(): string {
  return `3EB0${takeRandom(9).toString('hex').toUpperCase()}`
}

/** A number in [0, 1). Not for secrets. */
export function random(): number {
  return Math.random()
}
