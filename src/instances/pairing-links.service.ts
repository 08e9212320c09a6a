import type { AuditService } from '../company/audit/audit.service.ts'
import type { Clock } from '../kernel/clock.ts'
import { createAttemptLimiter, networkOf } from '../kernel/attempt-limiter.ts'
import { randomToken } from '../kernel/ids.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { Caller } from '../kernel/principal.ts'
import { hashToken } from '../kernel/seal.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { InstancesService } from './instances.service.ts'
import type { PairingCodesService } from './pairing-codes.service.ts'
import type { PairingLinkState } from './pairing-links.schemas.ts'
import {
  deletePairingLink,
  findPairingLink,
  savePairingLink,
  sweepPairingLinks,
} from './pairing-links.sql.ts'

/** How long a link can be used. */
const LIFETIME_MS = 24 * 3600_000
const PREFIX = 'plk'
/** Maximum codes per link and window, because WhatsApp restricts numbers that request many. */
const MAX_CODES = 5
/** Invalid tokens that one network may try within the window. */
const MAX_INVALID = 60
const WINDOW_MS = 15 * 60_000

/** Pairs instances by links; see `createPairingLinksService`. */
export type PairingLinksService = ReturnType<typeof createPairingLinksService>

/**
 * Creates the service for links with which someone without an account pairs an instance (G82). A
 * link expires when the instance is paired or a newer link replaces it, and authorizes only pairing.
 */
export function createPairingLinksService(deps: {
  clock: Clock
  panelUrl: string
  audit: AuditService
  instances: Pick<InstancesService, 'get' | 'poll'>
  pairingCodes: PairingCodesService
}) {
  const { clock, panelUrl, audit, instances, pairingCodes } = deps
  const limiter = createAttemptLimiter({ clock, windowMs: WINDOW_MS })
  const now = () => new Date(clock.now())

  /** Returns the link of a token. Throws 404 for an invalid token, and 429 after too many invalid ones. */
  async function read(db: Db, token: string, address: string) {
    const attempt = limiter.start([{ subject: networkOf(address), max: MAX_INVALID }])
    if ('retryAfter' in attempt)
      throw fail('rate_limited', (say) => say.auth.tooManyAttempts(attempt.retryAfter), {
        retryAfter: attempt.retryAfter,
      })
    let link
    try {
      link = await findPairingLink(db, hashToken(token), now())
      if (!link) attempt.fail()
    } finally {
      attempt.succeed()
    }
    if (!link) throw fail('not_found', (say) => say.instances.linkInvalid)
    const { projectId, mode } = link
    return { link, scope: { projectId, mode, keyId: null } satisfies Scope }
  }

  return {
    /** Creates the link of an instance and invalidates an earlier one. Throws 404, and 409 if it is connected. */
    create: (db: Db, scope: Scope, by: Caller, instanceId: string) =>
      db.transaction(async (tx) => {
        const { status } = await instances.get(tx, scope, instanceId)
        if (status === 'CONNECTED') throw fail('conflict', (say) => say.instances.alreadyConnected)
        const token = randomToken(PREFIX)
        const expiresAt = new Date(clock.now() + LIFETIME_MS)
        // Without a key, the caller is a user of the panel.
        const userId = scope.keyId === null ? by.actor : null
        const link = { instanceId, hash: hashToken(token), expiresAt, userId }
        await savePairingLink(tx, scope, link, now())
        await audit.recordAction(tx, scope, by, 'instance.pairing_link', instanceId)
        const url = new URL('/parear', panelUrl)
        url.searchParams.set('token', token)
        return { url: url.href, expiresAt: expiresAt.toISOString() }
      }),

    /** Revokes the link of an instance. Throws 404. */
    remove: (db: Db, scope: Scope, by: Caller, instanceId: string): Promise<void> =>
      db.transaction(async (tx) => {
        await instances.get(tx, scope, instanceId)
        if (!(await deletePairingLink(tx, scope, instanceId, now())))
          throw fail('not_found', (say) => say.instances.noLink)
        await audit.recordAction(tx, scope, by, 'instance.pairing_link_end', instanceId)
      }),

    /** Starts pairing unless it has started or is done, and returns what the page shows. Throws 404. */
    async state(db: Db, token: string, address: string): Promise<PairingLinkState> {
      const { link, scope } = await read(db, token, address)
      const { instanceId, company, name, used } = link
      if (used) {
        const { status } = await instances.get(db, scope, instanceId)
        return { company, name, status, used, code: null, expiresAt: null }
      }
      const { status, code, expiresAt } = await instances.poll(db, scope, instanceId)
      return { company, name, status, used, code, expiresAt }
    },

    /** Returns a code to type on the phone. Throws 400, 404, 409 if paired, and 429 beyond `MAX_CODES`. */
    async requestCode(db: Db, token: string, phone: string, address: string) {
      const { link, scope } = await read(db, token, address)
      if (link.used) throw fail('conflict', (say) => say.instances.alreadyConnected)
      const { instanceId } = link
      const attempt = limiter.start([{ subject: instanceId, max: MAX_CODES }])
      if ('retryAfter' in attempt)
        throw fail('rate_limited', (say) => say.instances.tooManyCodes, {
          retryAfter: attempt.retryAfter,
        })
      try {
        return await pairingCodes.request(db, scope, instanceId, phone)
      } finally {
        attempt.fail()
      }
    },

    /** Deletes expired links. */
    sweep: (db: Db): Promise<void> => sweepPairingLinks(db, now()),
  }
}
