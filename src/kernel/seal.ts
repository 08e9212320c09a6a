import {
  createCipheriv,
  createDecipheriv,
  createHash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'

/** Encrypts small secrets at rest with AES-256-GCM. `context` binds a value to the row it belongs to. */
export type Seal = {
  /** Encrypts with the first key. */
  close(plain: Buffer, context: string): Buffer
  /**
   * Decrypts with the key identified in the value. Throws if that key is not configured or the value was tampered with.
   */
  open(sealed: Buffer, context: string): Buffer
  /** The first bytes of every value sealed with the current key. */
  header: Buffer
}

/** Marks sealed values that carry a key id. Values of the first format have no header and start with the nonce. */
const MAGIC = Buffer.from('RSv2')
const ID_BYTES = 4
const HEADER_BYTES = MAGIC.length + ID_BYTES
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Creates a seal from one or more master keys: the first seals, any of them can open. */
export function createSeal(masterKeys: string | readonly [string, ...string[]]): Seal {
  const [first, ...others] = typeof masterKeys === 'string' ? [masterKeys] : masterKeys
  const current = deriveKey(first)
  const keys = [current, ...others.map(deriveKey)]
  const header = Buffer.concat([MAGIC, current.id])

  /** The value without its header, and the keys that may open it. */
  function read(sealed: Buffer) {
    if (!sealed.subarray(0, MAGIC.length).equals(MAGIC)) return { body: sealed, candidates: keys }
    const id = sealed.subarray(MAGIC.length, HEADER_BYTES)
    return {
      body: sealed.subarray(HEADER_BYTES),
      candidates: keys.filter((key) => key.id.equals(id)),
    }
  }

  return {
    header,
    close(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', current.key, nonce).setAAD(Buffer.from(context))
      const tail = [cipher.update(plain), cipher.final(), cipher.getAuthTag()]
      return Buffer.concat([header, nonce, ...tail])
    },
    open(sealed, context) {
      const { body, candidates } = read(sealed)
      let problem: unknown = new Error(
        `cannot open the sealed value ${context}: its master key is not configured`,
      )
      for (const { key } of candidates) {
        try {
          return decrypt(body, key, context)
        } catch (error) {
          problem = error
        }
      }
      throw problem
    },
  }
}

function deriveKey(masterKey: string): { key: Buffer; id: Buffer } {
  const key = Buffer.from(hkdfSync('sha256', masterKey, 'recado', 'seal-v1', 32))
  const id = Buffer.from(hkdfSync('sha256', masterKey, 'recado', 'seal-key-id', ID_BYTES))
  return { key, id }
}

function decrypt(body: Buffer, key: Buffer, context: string): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, body.subarray(0, NONCE_BYTES))
  decipher.setAAD(Buffer.from(context)).setAuthTag(body.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(body.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** SHA-256 of a token. A high-entropy secret needs no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}

/** Compares two tokens in constant time. */
export const isSameToken = (given: string, expected: string): boolean =>
  timingSafeEqual(hashToken(given), hashToken(expected))
