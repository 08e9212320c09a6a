import { createRequire } from 'node:module'

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
type Session = { serialize(): object }
type DecryptResult = { session: Session; plaintext: unknown }
type Cipher = {
  maybeStepRatchet(session: Session, remoteKey: Uint8Array, previousCounter: number): unknown
  decryptWithSessions(data: Uint8Array, sessions: Session[]): Promise<DecryptResult>
}

/** Returns a `require` that resolves modules as the engine does. */
export function requireAsBaileys(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve('baileys'))
}

let verify: Verify | null = null

/** Patches the defects of libsignal, once per process. Returns a function that checks a signature without throwing. */
export function patchLibsignal(): Verify {
  return (verify ??= patch())
}

function patch(): Verify {
  const load = requireAsBaileys()
  const { prototype } = load('libsignal/src/session_cipher.js') as { prototype: Cipher }
  readCountersSigned(prototype)
  tryOnCopies(prototype)
  suppressConsoleLogs()
  return checkSignatures(load('libsignal/src/curve.js') as { verifySignature: Verify })
}

/** libsignal ignores the result when it verifies the signature of a prekey, so an invalid one has to throw. */
function checkSignatures(curve: { verifySignature: Verify }): Verify {
  const original = curve.verifySignature
  const good: Verify = (key, message, signature) => {
    try {
      return original(key, message, signature)
    } catch {
      return false
    }
  }
  curve.verifySignature = (key, message, signature) => {
    if (!good(key, message, signature)) throw new Error('libsignal: invalid signature')
    return true
  }
  return good
}

/**
 * A chain in which nothing was sent yet has the counter -1, which other clients of this library send as the largest
 * unsigned integer. Unpatched, libsignal rejects that message and all that follow it.
 */
function readCountersSigned(cipher: Cipher): void {
  const step = cipher.maybeStepRatchet
  cipher.maybeStepRatchet = function (session, remoteKey, previousCounter) {
    return step.call(this, session, remoteKey, previousCounter | 0)
  }
}

/**
 * Two contacts that first write to each other at the same moment have two sessions. libsignal tries to decrypt a
 * message with each and corrupts those that it does not belong to, so each attempt uses a copy.
 */
function tryOnCopies(cipher: Cipher): void {
  const decrypt = cipher.decryptWithSessions
  cipher.decryptWithSessions = async function (data, sessions) {
    if (sessions.length < 2) return decrypt.call(this, data, sessions)
    const problems: unknown[] = []
    for (const session of sessions) {
      const { deserialize } = session.constructor as unknown as {
        deserialize(data: object): Session
      }
      const copy = deserialize.call(session.constructor, session.serialize())
      try {
        const { plaintext } = await decrypt.call(this, data, [copy])
        return { session: Object.assign(session, copy), plaintext }
      } catch (error) {
        problems.push(error)
      }
    }
    throw problems[0]
  }
}

/** Starts of messages that libsignal writes to the console, some with whole sessions including private keys. */
const LOG_PREFIXES =
  /^(Closing|Opening|Removing|Migrating|Session (already|error)|Decrypted message with closed|Failed to decrypt message)/

/** Suppresses libsignal's output. */
function suppressConsoleLogs(): void {
  type Printer = Record<string, (...parts: unknown[]) => void>
  const printer = Reflect.get(globalThis, 'console') as unknown as Printer
  for (const name of ['info', 'warn', 'error']) {
    const print = printer[name]
    if (print)
      printer[name] = (...parts) => void (LOG_PREFIXES.test(String(parts[0])) || print(...parts))
  }
}
