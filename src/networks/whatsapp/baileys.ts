import { createRequire } from 'node:module'

// oxlint-disable-next-line typescript/consistent-type-imports -- the engine itself is loaded on demand
export type Baileys = typeof import('baileys')

let loaded: Promise<Baileys | null> | null = null

/** The engine, if it is installed. It brings GPL-3.0 code (`libsignal`) and is loaded for whoever uses WhatsApp alone. */
export function loadBaileys(): Promise<Baileys | null> {
  return (loaded ??= load())
}

async function load(): Promise<Baileys | null> {
  try {
    const baileys = await import('baileys')
    checkSignatures(baileys)
    keepSecretsOffTheTerminal()
    return baileys
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

/**
 * The engine as published takes any signature for a good one: it waits for an exception where libsignal answers false,
 * and libsignal itself never looks at those of prekeys. Here a signature is good when it is.
 */
function checkSignatures(baileys: Baileys): void {
  const fromBaileys = createRequire(createRequire(import.meta.url).resolve('baileys'))
  const curve = fromBaileys('libsignal/src/curve.js') as { verifySignature: Verify }
  const original = curve.verifySignature
  const good: Verify = (key, message, signature) => {
    try {
      return original(key, message, signature)
    } catch {
      return false
    }
  }
  // Prekeys: libsignal asks, and throws the answer away.
  curve.verifySignature = (key, message, signature) => {
    if (!good(key, message, signature)) throw new Error('a signature is forged')
    return true
  }
  const verify: Verify = (key, message, signature) =>
    good(baileys.generateSignalPubKey(key), message, signature)
  Object.assign(baileys.Curve, { verify })
}

/** libsignal prints whole sessions, private keys and all: of such a line only its words are kept. */
function keepSecretsOffTheTerminal(): void {
  type Printer = Record<string, (...parts: unknown[]) => void>
  const printer = Reflect.get(globalThis, 'console') as unknown as Printer
  const secret = (part: unknown) =>
    typeof part === 'object' && part !== null && 'indexInfo' in part && 'currentRatchet' in part
  for (const name of ['info', 'warn', 'error']) {
    const print = printer[name]
    if (print) printer[name] = (...parts) => print(...parts.filter((part) => !secret(part)))
  }
}
