import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Authenticator } from '../platform/auth/authenticator.port.ts'
import { accessFailure } from '../platform/db/access-failure.ts'
import type { Clock } from '../kernel/clock.ts'
import { randomToken } from '../kernel/ids.ts'
import { hashToken } from '../kernel/seal.ts'
import { fail, Failure } from '../kernel/phrases/fail.ts'
import { findQrToken, insertQrToken, sweepQrTokens } from './qr-tokens.sql.ts'

/** Lifetime of an ephemeral token (G24). */
const TOKEN_LIFETIME_MS = 120_000
const PREFIX = 'qrt'

/** Authenticates QR streams; see `createQrTokensService`. */
export type QrTokensService = ReturnType<typeof createQrTokensService>

/**
 * Creates the service that authenticates QR streams, by an API key or by a short-lived token for one instance (G24).
 */
export function createQrTokensService(deps: { clock: Clock; authenticator: Authenticator }) {
  const { clock, authenticator } = deps

  async function readEphemeral(
    db: Db,
    token: string,
    mode: Mode,
    instanceId: string,
  ): Promise<Scope> {
    const row = await findQrToken(db, hashToken(token), new Date(clock.now()))
    if (!row || row.mode !== mode) throw fail('unauthorized', (say) => say.auth.qrUnauthorized)
    if (row.instanceId !== instanceId) {
      throw fail('forbidden', (say) => say.instances.qrOtherInstance)
    }
    return { projectId: row.projectId, mode, keyId: row.keyId }
  }

  return {
    /** Issues a token for the QR stream of one instance. Only its hash is stored. */
    async issue(db: Db, scope: Scope, instanceId: string) {
      const token = randomToken(PREFIX)
      const now = clock.now()
      const expiresAt = new Date(now + TOKEN_LIFETIME_MS)
      const row = { hash: hashToken(token), instanceId, expiresAt, now: new Date(now) }
      await insertQrToken(db, scope, row)
      return { token, expiresAt: expiresAt.toISOString() }
    },

    /** Returns the scope of an ephemeral token. Throws 401, also for an API key, which must not be part of a URL. */
    async authenticateEphemeral(
      db: Db,
      token: string,
      mode: Mode,
      instanceId: string,
    ): Promise<Scope> {
      if (!token.startsWith(`${PREFIX}_`))
        throw fail('unauthorized', (say) => say.auth.qrUnauthorized)
      return readEphemeral(db, token, mode, instanceId)
    },

    /** Returns the scope of a stream's credential. Throws 401 or 403 with the messages specific to the stream. */
    async authenticate(
      db: Db,
      token: string | null,
      mode: Mode,
      instanceId: string,
      address: string,
    ): Promise<Scope> {
      // Failures of an ephemeral token already have the stream's messages.
      if (token?.startsWith(`${PREFIX}_`)) return readEphemeral(db, token, mode, instanceId)
      try {
        const principal = await authenticator.authenticateKey(token, mode)
        const concerns = { instanceId }
        await authenticator.authorizeKey(principal, { permission: 'manage', concerns, address })
        return { projectId: principal.projectId, mode, keyId: principal.keyId }
      } catch (error) {
        throw streamFailure(error)
      }
    },

    /** Deletes expired tokens. */
    sweep: (db: Db) => sweepQrTokens(db, new Date(clock.now())),
  }
}

/**
 * Replaces the message of an access failure by that of the QR stream, and returns other errors unchanged
 * (G24).
 */
export function streamFailure(error: unknown): unknown {
  const failure = error instanceof Failure ? error : accessFailure(error)
  if (!failure) return error
  if (failure.details.reason === 'KEY_RESTRICTED') return failure
  switch (failure.kind) {
    case 'unauthorized':
      return fail('unauthorized', (say) => say.auth.qrUnauthorized)
    case 'forbidden':
      return fail('forbidden', (say) => say.projects.qrInactive)
    case 'not_found':
      return fail('not_found', (say) => say.instances.qrNotFound)
    default:
      return failure
  }
}
