import { findUnknownInstance } from '../../platform/db/known-instances.sql.ts'
import { hasPermission } from '../../kernel/permissions.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { BillingService } from '../billing/billing.service.ts'
import type { Mode } from '../../kernel/config/config.ts'
import type { Db, Scope } from '../../platform/db/sql.ts'
import { toCaller, type UserPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { hashToken } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { CreatedKey, CreateKeyBody, Key } from './keys.schemas.ts'
import { describeCaller, insertKey, listKeys, revokeKey, type KeyRow } from './keys.sql.ts'
import type { CurrentKey } from './me.schemas.ts'
import { makeKey } from './parse-key.ts'
import { readRestrictions } from './restrictions.ts'

const MAX_KEYS = 500
const DAY_MS = 24 * 3600_000
/** The latest time that ISO 8601 writes with a four-digit year. */
const LAST_TIME = Date.UTC(9999, 11, 31, 23, 59, 59)

/** Manages API keys; see `createKeysService`. */
export type KeysService = ReturnType<typeof createKeysService>

/** Creates, lists and revokes API keys on behalf of users (G13). */
export function createKeysService(deps: {
  clock: Clock
  billing: BillingService
  audit: AuditService
}) {
  const { clock, billing, audit } = deps

  function render(row: KeyRow): Key {
    const now = clock.now()
    const expired = row.expiresAt !== null && row.expiresAt.getTime() <= now
    return {
      id: row.id,
      name: row.name,
      keyPrefix: row.keyPrefix,
      status: row.revokedAt ? 'revoked' : expired ? 'expired' : 'active',
      lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
      expiresAt: row.expiresAt?.toISOString() ?? null,
      revokedAt: row.revokedAt?.toISOString() ?? null,
      createdAt: row.createdAt.toISOString(),
      ...(row.restrictions ? { restrictions: row.restrictions } : {}),
    }
  }

  return {
    /**
     * Creates a key and returns it with its secret, which is never returned again. Throws 402 in
     * production without an active subscription, and 400 beyond `MAX_KEYS` or for restrictions that name an unknown
     * instance or an invalid address.
     */
    async create(
      db: Db,
      scope: Scope & { mode: Mode },
      user: UserPrincipal,
      input: CreateKeyBody,
    ): Promise<CreatedKey> {
      requireRole(user)
      const name = input.name.trim()
      if (name === '') throw fail('bad_request', (say) => say.keys.nameRequired, { field: 'name' })
      await billing.requireSubscription(db, scope)
      const { key, keyPrefix } = makeKey(scope.mode)
      const now = clock.now()
      const restrictions = readRestrictions(input.restrictions)
      const ids = restrictions?.instanceIds ?? []
      const unknown = await findUnknownInstance(db, scope, ids, new Date(now))
      if (unknown !== null)
        throw fail('bad_request', (say) => say.keys.unknownInstance(unknown), {
          field: 'restrictions.instanceIds',
        })
      const row = await db.transaction(async (tx) => {
        const made = await insertKey(tx, scope, {
          id: newId('key', now),
          name,
          keyPrefix,
          secretHash: hashToken(key),
          createdBy: user.userId,
          expiresAt: input.expiresInDays
            ? new Date(Math.min(now + input.expiresInDays * DAY_MS, LAST_TIME))
            : null,
          now: new Date(now),
          most: MAX_KEYS,
          restrictions,
        })
        const after = { keyPrefix, ...(restrictions ? { restrictions } : {}) }
        const change = { before: null, after }
        if (made) await audit.recordAction(tx, scope, toCaller(user), 'key.create', made.id, change)
        return made
      })
      if (!row) throw fail('bad_request', (say) => say.keys.limit)
      return { ...render(row), key }
    },

    /** Returns the calling key with its Project, credits and, in test mode, the daily cap. */
    async describe(db: Db, scope: Scope): Promise<CurrentKey> {
      const row = await describeCaller(db, scope, new Date(clock.now()))
      if (!row) throw fail('not_found', (say) => say.keys.notFound)
      const { id, name, keyPrefix, expiresAt, restrictions, subscription, addons, credits } = row
      const { projectId, projectName, status, usageMode, defaultCountry } = row
      return {
        mode: scope.mode,
        key: {
          id,
          name,
          keyPrefix,
          expiresAt: expiresAt?.toISOString() ?? null,
          restrictions,
        },
        project: { id: projectId, name: projectName, status, usageMode, defaultCountry },
        subscription,
        addons,
        credits,
        dailyCap: scope.mode === 'test' ? await billing.cap(db, scope) : null,
      }
    },

    async list(
      db: Db,
      scope: Scope,
      user: UserPrincipal,
      page: { limit: number | null; offset: number },
    ): Promise<Key[]> {
      requireRole(user)
      const { limit, offset } = page
      const most = limit === null ? null : limit + 1
      const rows = await listKeys(db, scope, { limit: most, offset, now: new Date(clock.now()) })
      return rows.map(render)
    },

    /** Revokes a key permanently; the next request with it gets 401. */
    async revoke(db: Db, scope: Scope, user: UserPrincipal, keyId: string): Promise<void> {
      requireRole(user)
      await db.transaction(async (tx) => {
        const found = await revokeKey(tx, scope, keyId, new Date(clock.now()))
        if (!found) throw fail('not_found', (say) => say.keys.notFound)
        if (!found.before) await audit.recordAction(tx, scope, toCaller(user), 'key.revoke', keyId)
      })
    },
  }
}

function requireRole(user: UserPrincipal): void {
  if (!hasPermission(user.role, 'develop')) throw fail('forbidden', (say) => say.auth.roleForbids)
}
