import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts small secrets at rest with AES-256-GCM. `context` binds a value to the row it belongs to. */
export type Seal = {
  close(plain: Buffer, context: string): Buffer
  open(sealed: Buffer, context: string): Buffer
}

export function createSeal(masterKey: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', masterKey, 'recado', 'seal-v1', 32))
  return {
    close(plain, context) {
      const nonce = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, context) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-16))
      return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
    },
  }
}

/** SHA-256 of a token. High-entropy secrets need no slow hash. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
