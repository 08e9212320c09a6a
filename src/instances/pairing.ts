import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import type { InstanceStatus } from '../model/vocabulary.ts'
import type { Pairing, QrPoll } from './instances.schemas.ts'
import { storeCode, wasPaired, type InstanceRow, type Ownership } from './instances.sql.ts'
import type { StatusTransition } from './status-changes.ts'

/** Maximum codes that a network offers in sequence before it gives up (G23). */
const MAX_CODES = 6
const UNPAIRED_STATUSES = new Set<InstanceStatus>(['CREATED', 'LOGGED_OUT'])

/** Returns the methods of the instances service for pairing by QR code (G23). */
export function createPairingMethods(deps: {
  clock: Clock
  publish: BusTopics['publish']
  getOrThrow: (db: Db, scope: Scope, id: string) => Promise<InstanceRow>
  requireNetwork: (db: Db, row: InstanceRow) => Promise<void>
  connect: (db: Db, row: InstanceRow) => Promise<boolean>
  transition: (
    db: Db,
    id: string,
    owner: Ownership | null,
    change: StatusTransition,
  ) => Promise<boolean>
}) {
  const { clock, publish, getOrThrow, requireNetwork, connect, transition } = deps
  return {
    /** Starts pairing unless it has started; returns the current code, if any. Throws 503 or 409 without a network. */
    async poll(db: Db, scope: Scope, id: string): Promise<QrPoll> {
      const row = await getOrThrow(db, scope, id)
      await requireNetwork(db, row)
      const hasEnded =
        row.status === 'STOPPED' ||
        (row.status === 'DISCONNECTED' && row.disconnect?.willReconnect === false)
      const isUnpaired = hasEnded && !(await wasPaired(db, id))
      if (isUnpaired || UNPAIRED_STATUSES.has(row.status)) await connect(db, row)
      return renderCode(await getOrThrow(db, scope, id), clock.now())
    },

    /** Returns the current code for the panel. Unlike `poll`, it does not start pairing. */
    async pairing(db: Db, scope: Scope, id: string): Promise<Pairing> {
      const row = await getOrThrow(db, scope, id)
      return {
        ...renderCode(row, clock.now()),
        sequence: Math.min(row.qrSequence, MAX_CODES),
        most: MAX_CODES,
      }
    },

    /**
     * Ends pairing when no code was scanned: changes to CREATED, or to LOGGED_OUT if the instance was paired before.
     */
    async expireCodes(db: Db, id: string, owner: Ownership): Promise<void> {
      const from: InstanceStatus[] = ['CONNECTING', 'QR']
      const to = (await wasPaired(db, id)) ? 'LOGGED_OUT' : 'CREATED'
      await transition(db, id, owner, { to, from, reason: 'qr_expired' })
    },

    /** Stores a code offered by the network; the first one changes the status to QR. */
    async offerCode(
      db: Db,
      id: string,
      owner: Ownership,
      code: { code: string; at: number; expiresAt: number },
    ): Promise<void> {
      const { code: text, at, expiresAt } = code
      await db.transaction(async (tx) => {
        const row = { code: text, at: new Date(at), expiresAt: new Date(expiresAt) }
        const scope = await storeCode(tx, id, owner, row)
        if (!scope) return
        await transition(tx, id, owner, { to: 'QR', from: ['CONNECTING'] })
        tx.afterCommit(() =>
          publish('instances', { id, projectId: scope.projectId, mode: scope.mode }),
        )
      })
    },
  }
}

function renderCode(row: InstanceRow, now: number): QrPoll {
  const { status, qrCode: code, qrAt, qrExpiresAt } = row
  const lives = qrExpiresAt !== null && qrExpiresAt.getTime() > now
  const waits = status === 'QR' && code !== null && lives
  if (!waits) return { status, code: null, at: null, expiresAt: null }
  return { status, code, at: qrAt?.toISOString() ?? null, expiresAt: qrExpiresAt.toISOString() }
}
