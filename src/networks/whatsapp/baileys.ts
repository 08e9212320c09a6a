import type { Clock } from '../../kernel/clock.ts'
import { patchLibsignal, requireAsBaileys } from './libsignal.ts'
import { patchCertificateCheck } from './server-certificate.ts'

/** The engine's module, with its patches applied. */
// oxlint-disable-next-line typescript/consistent-type-imports -- the engine itself is loaded on demand
export type Baileys = typeof import('baileys')

let loaded: Promise<Baileys> | null = null

/** Returns whether the optional dependency Baileys is installed, with libsignal. */
export function isBaileysInstalled(): boolean {
  try {
    requireAsBaileys().resolve('libsignal')
    return true
  } catch {
    return false
  }
}

/**
 * Loads and patches the engine, once per process. It contains GPL-3.0 code (`libsignal`), so call this only when an
 * account needs it. `rootKey` is the public key at the root of the server's certificate chain; null for WhatsApp's own.
 */
export function loadBaileys(rootKey: Buffer | null, clock: Clock): Promise<Baileys> {
  return (loaded ??= load(rootKey, clock))
}

async function load(rootKey: Buffer | null, clock: Clock): Promise<Baileys> {
  const baileys = await import('baileys')
  if (rootKey) Object.assign(baileys.WA_CERT_DETAILS, { PUBLIC_KEY: rootKey })
  patchCertificateCheck(baileys, clock)
  const good = patchLibsignal()
  // The engine accepts a signature unless libsignal throws, but libsignal returns false.
  const verify: typeof good = (key, message, signature) =>
    good(baileys.generateSignalPubKey(key), message, signature)
  Object.assign(baileys.Curve, { verify })
  return baileys
}
