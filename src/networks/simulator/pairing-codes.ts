import { randomBytes } from 'node:crypto'
import type { Clock, Timer } from '../../kernel/clock.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { NetworkListener } from '../network-events.port.ts'
import type { PhoneScope } from '../virtual-phones.port.ts'
import { deletePairing, savePairing } from './simulator.sql.ts'

/** Lifetime of each pairing code; after the sixth, a new one has to be requested (G23). */
const CODE_LIFETIMES_MS = [60_000, 20_000, 20_000, 20_000, 20_000, 20_000]
const TYPED_LIFETIME_MS = 60_000

/**
 * Offers the pairing codes of an unpaired session: QR codes one after the other, and a code to type beside them, for as
 * long as the series lasts. Both serve the same pairing.
 */
export function createPairingCodes(deps: {
  db: Db
  clock: Clock
  scope: PhoneScope
  instanceId: string
  listener: NetworkListener
  /** Whether the session is open and unpaired. */
  mayOffer: () => boolean
  /** Delivers a scan that happened before this node opened the session. */
  wake: () => void
  inBackground: (work: () => Promise<void>) => void
}) {
  const { db, clock, scope, instanceId, listener, mayOffer, wake, inBackground } = deps
  const shown: { scanned: string | null; typed: string | null } = { scanned: null, typed: null }
  let timer: Timer | null = null
  let used = 0
  /** When the last code of the series ends. */
  let endsAt = 0

  async function show(as: keyof typeof shown, code: string, expiresAt: number): Promise<void> {
    const now = new Date(clock.now())
    const pairing = { instanceId, code, previous: shown[as], expiresAt: new Date(expiresAt), now }
    await savePairing(db, scope, pairing)
    shown[as] = code
  }

  /** Deletes the codes that this session shows, but not those that another node now shows for the same instance. */
  async function withdraw(): Promise<void> {
    for (const as of ['scanned', 'typed'] as const) {
      const code = shown[as]
      if (code !== null) await deletePairing(db, code)
      shown[as] = null
    }
  }

  async function offer(): Promise<void> {
    timer?.cancel()
    if (!mayOffer()) return
    const life = CODE_LIFETIMES_MS[used++]
    if (life === undefined) {
      await withdraw()
      await listener.onStatus({ status: 'CODES_EXPIRED' })
      return
    }
    const code = `2@${randomBytes(48).toString('base64')}`
    const at = clock.now()
    const expiresAt = at + life
    endsAt = CODE_LIFETIMES_MS.slice(used).reduce((end, next) => end + next, expiresAt)
    // Scheduled before anything that can fail, so that the next code comes even if this one does not.
    timer = clock.after(life, () => inBackground(offer))
    await show('scanned', code, expiresAt)
    await listener.onCode({ code, at, expiresAt })
    wake()
  }

  return {
    offer,
    withdraw,
    /** Begins a series of codes unless one is under way. */
    async begin(): Promise<void> {
      if (used > CODE_LIFETIMES_MS.length) used = 0
      if (used === 0) await offer()
    },
    /** Returns a code to type, which is valid for a minute and no longer than the series. */
    async requestTyped(): Promise<{ code: string; expiresAt: number }> {
      const letters = randomBytes(8).toString('hex').toUpperCase().slice(0, 8)
      const code = `${letters.slice(0, 4)}-${letters.slice(4)}`
      const now = clock.now()
      const latest = now + TYPED_LIFETIME_MS
      const expiresAt = endsAt > now ? Math.min(latest, endsAt) : latest
      await show('typed', code, expiresAt)
      return { code, expiresAt }
    },
    /** Ends the series. */
    stop: () => timer?.cancel(),
  }
}
