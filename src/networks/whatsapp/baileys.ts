import { createRequire } from 'node:module'

// oxlint-disable-next-line typescript/consistent-type-imports -- the engine itself is loaded on demand
export type Baileys = typeof import('baileys')

let loaded: Promise<Baileys> | null = null

/** Whether the engine is installed, with what it needs. */
export function isBaileysInstalled(): boolean {
  try {
    requireAsBaileys().resolve('libsignal')
    return true
  } catch {
    return false
  }
}

/**
 * The engine. It brings GPL-3.0 code (`libsignal`) and is loaded once an account needs it. `rootKey` is whose signature
 * a server's certificate must lead to; null for WhatsApp's own.
 */
export function loadBaileys(rootKey: Buffer | null): Promise<Baileys> {
  return (loaded ??= load(rootKey))
}

async function load(rootKey: Buffer | null): Promise<Baileys> {
  const baileys = await import('baileys')
  if (rootKey) Object.assign(baileys.WA_CERT_DETAILS, { PUBLIC_KEY: rootKey })
  checkSignatures(baileys)
  keepSecretsOffTheTerminal()
  return baileys
}

/** Resolves modules as the engine itself does. */
function requireAsBaileys(): NodeJS.Require {
  return createRequire(createRequire(import.meta.url).resolve('baileys'))
}

type Verify = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean

/**
 * The engine as published takes any signature for a good one: it waits for an exception where libsignal answers false,
 * and libsignal itself never looks at those of prekeys. Here a signature is good when it is.
 */
function checkSignatures(baileys: Baileys): void {
  const curve = requireAsBaileys()('libsignal/src/curve.js') as { verifySignature: Verify }
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
