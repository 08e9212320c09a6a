import { createRequire } from 'node:module'

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
type Session = { serialize(): object }
type Opened = { session: Session; plaintext: unknown }
type Cipher = {
  maybeStepRatchet(session: Session, remoteKey: Uint8Array, previousCounter: number): unknown
  decryptWithSessions(data: Uint8Array, sessions: Session[]): Promise<Opened>
}

/** Resolves modules as the engine itself does. */
export function requireAsBaileys(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve('baileys'))
}

let verify: Verify | null = null

/** Mends what libsignal does wrong, once; answers whether a signature is good. */
export function mendLibsignal(): Verify {
  return (verify ??= mend())
}

function mend(): Verify {
  const load = requireAsBaileys()
  const { prototype } = load('libsignal/src/session_cipher.js') as { prototype: Cipher }
  readCountersSigned(prototype)
  tryOnCopies(prototype)
  keepSecretsOffTheTerminal()
  return checkSignatures(load('libsignal/src/curve.js') as { verifySignature: Verify })
}

/** libsignal never looks at the signatures of prekeys: it asks, and throws the answer away. */
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
    if (!good(key, message, signature)) throw new Error('a signature is forged')
    return true
  }
  return good
}

/**
 * Whoever has sent nothing yet in a chain has a counter of minus one, which other clients of this library send as the
 * largest number there is: the message would be refused, and all that follow it.
 */
function readCountersSigned(cipher: Cipher): void {
  const step = cipher.maybeStepRatchet
  cipher.maybeStepRatchet = function (session, remoteKey, previousCounter) {
    return step.call(this, session, remoteKey, previousCounter | 0)
  }
}

/**
 * Two who write to each other for the first time in the same moment have two sessions. libsignal tries a message on
 * one after the other, and spoils those that it does not belong to: here it tries on copies.
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

/** What libsignal prints by the way: whole sessions among it, private keys and all. */
const CHATTER =
  /^(Closing|Opening|Removing|Migrating|Session (already|error)|Decrypted message with closed|Failed to decrypt message)/

/** Keeps libsignal's talk off the terminal. */
function keepSecretsOffTheTerminal(): void {
  type Printer = Record<string, (...parts: unknown[]) => void>
  const printer = Reflect.get(globalThis, 'console') as unknown as Printer
  for (const name of ['info', 'warn', 'error']) {
    const print = printer[name]
    if (print)
      printer[name] = (...parts) => void (CHATTER.test(String(parts[0])) || print(...parts))
  }
}
