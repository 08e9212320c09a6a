import type { Mode } from '../../kernel/config/config.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Authenticator } from '../../platform/auth/authenticator.port.ts'
import type { KeyPrincipal } from '../../kernel/principal.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import { hashToken } from '../../kernel/seal.ts'
import { fail, Failure } from '../../kernel/phrases/fail.ts'
import type { SessionsService } from '../sessions/sessions.service.ts'
import { accessFailure, accessFailureByCode } from '../../platform/db/access-failure.ts'
import { checkKey, findKeyByHash, findRefused, touchKeys } from './keys.sql.ts'
import { modeOfKey } from './parse-key.ts'
import { createKeyRates, forbiddenUse } from './restrictions.ts'

/** `lastUsedAt` lags by at most 10 s (G2); flushing every 5 s leaves time for a slow flush. */
const FLUSH_INTERVAL_MS = 5000
const CACHED_KEYS = 20_000

/**
 * Authenticates callers, with checks in a fixed order (G15). The immutable properties of a key (id,
 * Project, mode, restrictions) are cached by its hash; whether it may still be used is checked in every scoped
 * statement (`access_granted`).
 */
export function createAuthenticator(deps: {
  db: Db
  clock: Clock
  activity: PendingWork
  sessions: SessionsService
  aliveNodes: () => number
  onError: (error: unknown, task?: string) => void
}): Authenticator & { flush(): Promise<void>; stop(): Promise<void> } {
  const { db, clock, activity, sessions, onError } = deps
  const known = new Map<string, KeyPrincipal>()
  const rates = createKeyRates(deps)
  let uses = new Map<string, Date>()

  async function recheckKey(on: Db, keyId: string): Promise<void> {
    try {
      await checkKey(on, keyId, new Date(clock.now()))
    } catch (error) {
      throw accessFailure(error) ?? error
    }
  }

  async function loadKey(hash: Buffer, cacheKey: string): Promise<KeyPrincipal> {
    const row = await findKeyByHash(db, hash)
    if (!row) throw fail('unauthorized', (say) => say.auth.unknown)
    const principal: KeyPrincipal = {
      kind: 'key',
      keyId: row.id,
      projectId: row.projectId,
      mode: row.mode,
      restrictions: row.restrictions,
    }
    if (known.size >= CACHED_KEYS) known.clear()
    known.set(cacheKey, principal)
    return principal
  }

  async function findKey(token: string, mode: Mode): Promise<KeyPrincipal> {
    const keyMode = modeOfKey(token)
    if (keyMode === null) throw fail('unauthorized', (say) => say.auth.unknown)
    if (keyMode !== mode) throw fail('unauthorized', (say) => say.auth.wrongMode)
    const hash = hashToken(token)
    const cacheKey = hash.toString('latin1')
    const principal = known.get(cacheKey) ?? (await loadKey(hash, cacheKey))
    uses.set(principal.keyId, new Date(clock.now()))
    return principal
  }

  /** Throws unless the key may be used. Ignores the Project's usage mode, which does not apply to key management. */
  async function requireUsable(token: string, mode: Mode): Promise<void> {
    try {
      const { keyId } = await findKey(token, mode)
      await recheckKey(db, keyId)
    } catch (error) {
      if (!(error instanceof Failure && error.details.reason === 'API_NOT_ENABLED')) throw error
    }
  }

  async function flush(): Promise<void> {
    if (uses.size === 0) return
    const taken = uses
    uses = new Map()
    try {
      await touchKeys(
        db,
        [...taken].map(([keyId, at]) => ({ keyId, at })),
      )
    } catch (error) {
      // Later uses replace those that could not be stored.
      uses = new Map([...taken, ...uses])
      throw error
    }
  }

  const loop = createLoop({
    task: 'storing when keys were used',
    clock,
    activity,
    everyMs: () => FLUSH_INTERVAL_MS,
    run: () => flush().then(() => false),
    onError,
  })

  return {
    recheckKey,
    async findRejectedKeys(on, keyIds) {
      const refused = await findRefused(on, keyIds, new Date(clock.now()))
      return new Map(
        refused.flatMap(({ id, code }) => {
          const failure = accessFailureByCode(code)
          return failure ? [[id, failure]] : []
        }),
      )
    },
    flush,
    stop: () => loop.stop(),

    async authenticateKey(token, mode) {
      if (token === null) throw fail('unauthorized', (say) => say.auth.missing)
      if (!token.startsWith('svc_')) {
        const user = await sessions.authenticate(db, token)
        if (!user) throw fail('unauthorized', (say) => say.auth.unknown)
        if (user.projectStatus !== 'ACTIVE') throw fail('forbidden', (say) => say.projects.inactive)
        throw fail('forbidden', (say) => say.auth.keyOnly)
      }
      return findKey(token, mode)
    },

    async authorizeKey({ keyId, restrictions }, use) {
      if (!restrictions) return null
      const forbidden = forbiddenUse(restrictions, use)
      if (forbidden) {
        // A revoked or expired key gets 401 for any request, even one that its restrictions forbid.
        await recheckKey(db, keyId)
        throw forbidden
      }
      const { requestsPerMinute } = restrictions
      return requestsPerMinute === null ? null : rates.take(keyId, requestsPerMinute)
    },

    async authenticateUser(token, mode, { suspended } = { suspended: false }) {
      if (token === null) throw fail('unauthorized', (say) => say.auth.missing)
      if (token.startsWith('svc_')) {
        await requireUsable(token, mode)
        throw fail('forbidden', (say) => say.auth.userOnly)
      }
      const user = await sessions.authenticate(db, token)
      if (!user) throw fail('unauthorized', (say) => say.auth.unknown)
      if (user.projectStatus !== 'ACTIVE' && !suspended)
        throw fail('forbidden', (say) => say.projects.inactive)
      const { projectStatus: _, ...principal } = user
      return principal
    },
  }
}
