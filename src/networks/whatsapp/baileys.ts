import type { Clock } from '../../kernel/clock.ts'
import { mendLibsignal, requireAsBaileys } from './libsignal.ts'
import { bindCertificate } from './server-certificate.ts'

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
export function loadBaileys(rootKey: Buffer | null, clock: Clock): Promise<Baileys> {
  return (loaded ??= load(rootKey, clock))
}

async function load(rootKey: Buffer | null, clock: Clock): Promise<Baileys> {
  const baileys = await import('baileys')
  if (rootKey) Object.assign(baileys.WA_CERT_DETAILS, { PUBLIC_KEY: rootKey })
  bindCertificate(baileys, clock)
  const good = mendLibsignal()
  // It waits for an exception where libsignal answers false.
  const verify: typeof good = (key, message, signature) =>
    good(baileys.generateSignalPubKey(key), message, signature)
  Object.assign(baileys.Curve, { verify })
  return baileys
}
