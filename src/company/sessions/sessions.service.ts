import type { AccountsService } from '../accounts/accounts.service.ts'
import { normalEmail, readPersonName } from '../../kernel/person.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import { projectMoves } from '../../platform/db/access-failure.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, randomToken } from '../../kernel/ids.ts'
import { hasPermission, type Permission } from '../../kernel/permissions.ts'
import { networkOf } from '../../kernel/attempt-limiter.ts'
import { hashToken, type Seal } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { MAX_ATTEMPTS_PER_ACCOUNT, type Admission } from './admission.service.ts'
import { createDeviceTokens } from './device-tokens.ts'
import { createPasswordLimits } from './password-limits.ts'
import { createProofs } from './proofs.ts'
import { createRequestedMails } from './requested-mails.ts'
import type { Appearance, Me, OpenedSession, Successor } from './sessions.schemas.ts'
import { requireOpen } from './require-open.ts'
import {
  endSession,
  endSessions,
  findMe,
  findSession,
  findSuccessor,
  findToken,
  insertTokens,
  isLatestRenewal,
  listSessions,
  openSession,
  setAppearance,
  setName,
  sweepSessions,
  useToken,
  type Device,
} from './sessions.sql.ts'

/** Lifetime of an access token. */
export const ACCESS_MS = 15 * 60_000
/** Lifetime of a refresh token. */
export const REFRESH_MS = 30 * 24 * 3600_000
const MAX_LISTED_SESSIONS = 10

/** The address and device of a sign-in. */
export type SignInOrigin = Device & { address: string }
/** The tokens of a session. */
export type Tokens = { accessToken: string; refreshToken: string }
/** Manages sessions; see `createSessionsService`. */
export type SessionsService = ReturnType<typeof createSessionsService>

/** Manages sign-ins and sessions; a user has at most one open session (G6). */
export function createSessionsService(deps: {
  clock: Clock
  accounts: AccountsService
  secondFactor: SecondFactorService
  emailChange: EmailChangeService
  audit: AuditService
  admission: Admission
  seal: Seal
  publish: BusTopics['publish']
  inBackground: (work: () => Promise<void>) => void
}) {
  const { clock, accounts, secondFactor, emailChange, audit, admission } = deps
  const devices = createDeviceTokens(deps.seal)
  const passwordLimits = createPasswordLimits(admission)
  const inMs = (ms: number) => new Date(clock.now() + ms)

  /** After the commit, makes the open connections of the user check whether their session is still valid. */
  const announceEnd = (db: Db, userId: string) =>
    db.afterCommit(() => deps.publish('sessions', { userId }))

  async function issue(tx: Db, sessionId: string): Promise<Tokens> {
    const accessToken = randomToken('uat')
    const refreshToken = randomToken('urt')
    await insertTokens(tx, sessionId, [
      { hash: hashToken(accessToken), kind: 'access', expiresAt: inMs(ACCESS_MS) },
      { hash: hashToken(refreshToken), kind: 'refresh', expiresAt: inMs(REFRESH_MS) },
    ])
    return { accessToken, refreshToken }
  }

  /**
   * Opens a session and ends the user's earlier one. Returns null if the user was removed or their
   * password changed since it was checked.
   */
  const open = (
    db: Db,
    { userId, passwordHash }: { userId: string; passwordHash: string },
    { address, ...device }: SignInOrigin,
  ): Promise<Tokens | null> =>
    db.transaction(async (tx) => {
      const id = newId('ses', clock.now())
      const network = networkOf(address)
      const session = { id, userId, passwordHash, network, now: inMs(0), ...device }
      if (!(await openSession(tx, session))) return null
      announceEnd(tx, userId)
      await audit.recordOwnAction(tx, { actor: userId, address }, 'session.open')
      return issue(tx, id)
    })

  /**
   * Returns the user with these credentials. Wrong credentials return null and count as a failure.
   * Throws 429 after too many failures.
   */
  async function checkPassword(
    db: Db,
    input: { email: string; password: string },
    address: string,
    knownDevice: boolean,
  ) {
    const { email, password } = input
    return admission.attempt(await passwordLimits(db, { email, address, knownDevice }), () =>
      admission.hashing(address, () => accounts.verify(db, email, password)),
    )
  }

  return {
    /**
     * Signs a user in. Throws 401 for wrong credentials or a wrong code, 401 OTP_REQUIRED if a code
     * is required but missing, 403 if the email address is unconfirmed, and 429 after too many
     * failures.
     */
    async login(
      db: Db,
      input: { email: string; password: string; code: string | undefined; device: string | null },
      from: SignInOrigin,
    ): Promise<Tokens> {
      const knownDevice = devices.isOf(input.device, normalEmail(input.email))
      const user = await checkPassword(db, input, from.address, knownDevice)
      if (!user) throw fail('unauthorized', (say) => say.auth.wrongPassword)
      // Only a caller who knows the password can guess codes, so their failures count per account.
      const codes = [{ subject: `code:${user.id}`, max: MAX_ATTEMPTS_PER_ACCOUNT }]
      const factor = await admission.attempt(codes, async () => {
        const checked = await secondFactor.check(db, user.id, input.code)
        return checked === 'wrong' ? null : checked
      })
      if (factor === null) throw fail('unauthorized', (say) => say.auth.wrongCode)
      if (!user.confirmedAt) throw fail('forbidden', (say) => say.auth.unconfirmed)
      if (factor === 'missing') {
        throw fail('unauthorized', (say) => say.auth.codeNeeded, { reason: 'OTP_REQUIRED' })
      }
      const tokens = await open(db, { userId: user.id, passwordHash: user.passwordHash }, from)
      if (!tokens) throw fail('unauthorized', (say) => say.auth.wrongPassword)
      return tokens
    },

    /** Returns a token that marks a browser as having signed in to this account. */
    deviceToken: (email: string): string => devices.issue(normalEmail(email)),

    ...createProofs({ accounts, secondFactor, emailChange, admission }),

    ...createRequestedMails({
      accounts,
      admission,
      checkPassword,
      inBackground: deps.inBackground,
    }),

    /**
     * Sets a new password with the token of a mailed link and ends all sessions of the user. Returns a token that marks
     * the browser as theirs, so that it can sign in while others exhaust the attempts of the account.
     */
    resetPassword: (
      db: Db,
      input: { token: string; password: string },
      address: string,
    ): Promise<string> =>
      admission.hashing(address, async () => {
        const email = await accounts.resetPassword(db, input, async (tx, actor) => {
          await endSessions(tx, actor, inMs(0))
          announceEnd(tx, actor)
          await audit.recordOwnAction(tx, { actor, address }, 'password.reset')
        })
        return devices.issue(normalEmail(email))
      }),

    /** Stores the panel preferences of a user. */
    setAppearance: (db: Db, userId: string, appearance: Appearance): Promise<void> =>
      setAppearance(db, userId, appearance),

    setName: (db: Db, userId: string, name: string): Promise<void> =>
      setName(db, userId, readPersonName(name)),

    /** Lists the user's latest sessions, newest first. */
    async list(db: Db, { userId, sessionId }: UserPrincipal): Promise<{ items: OpenedSession[] }> {
      const rows = await listSessions(db, userId, MAX_LISTED_SESSIONS)
      return {
        items: rows.map(({ id, at, endedAt, ...row }) => ({
          ...row,
          at: at.toISOString(),
          endedAt: endedAt?.toISOString() ?? null,
          current: id === sessionId,
        })),
      }
    },

    /** Ends all sessions of a user. */
    async endAll(tx: Db, userId: string): Promise<void> {
      await endSessions(tx, userId, inMs(0))
      announceEnd(tx, userId)
    },

    /**
     * Exchanges a refresh token for a new pair; a token used twice ends the session. `renewal` is a secret of the
     * caller that identifies the exchange: with it, the latest exchange can be repeated, in case its response was lost.
     */
    async refresh(db: Db, refreshToken: string, renewal: string | null): Promise<Tokens> {
      const hash = hashToken(refreshToken)
      const renewalHash = renewal === null ? null : hashToken(renewal)
      const row = await findToken(db, hash, 'refresh')
      requireOpen(row, clock.now())
      const tokens = await db.transaction(async (tx) =>
        (await useToken(tx, hash, renewalHash, inMs(0))) ||
        (renewalHash !== null && (await isLatestRenewal(tx, hash, renewalHash)))
          ? issue(tx, row.sessionId)
          : null,
      )
      if (tokens) return tokens
      await endSession(db, row.sessionId, inMs(0))
      announceEnd(db, row.userId)
      throw fail('unauthorized', (say) => say.auth.badRefresh, {
        internal: `a refresh token of session ${row.sessionId} was reused`,
      })
    },

    /** Ends the session of an access or refresh token. Unknown tokens are ignored. */
    async logout(db: Db, token: string): Promise<void> {
      const hash = hashToken(token)
      const row = (await findToken(db, hash, 'access')) ?? (await findToken(db, hash, 'refresh'))
      if (!row) return
      await endSession(db, row.sessionId, inMs(0))
      announceEnd(db, row.userId)
    },

    /**
     * Returns the user of an access token, or null for an unknown token. Throws 401 if the session
     * has ended, with the code SESSION_SUPERSEDED if another session ended it.
     */
    async authenticate(
      db: Db,
      accessToken: string,
    ): Promise<(Omit<UserPrincipal, 'address'> & { projectStatus: string }) | null> {
      const row = await findToken(db, hashToken(accessToken), 'access')
      if (!row) return null
      requireOpen(row, clock.now())
      if (row.projectMoves) throw projectMoves()
      const { userId, sessionId, projectId, role, projectStatus } = row
      return { kind: 'user', userId, sessionId, projectId, role, projectStatus }
    },

    /**
     * Confirms an email address with the token of a mailed link. Returns the tokens of a new
     * session if this browser started the sign-up, otherwise null. Throws 400 for a link that is
     * unknown, used or expired.
     */
    async confirmEmail(
      db: Db,
      token: string,
      browser: string | null,
      from: SignInOrigin,
    ): Promise<Tokens | null> {
      const user = await accounts.confirmEmail(db, token, browser)
      return user && open(db, user, from)
    },

    /** Returns the session that superseded the session of a refresh token, or null. */
    async successor(db: Db, refreshToken: string): Promise<Successor | null> {
      const found = await findSuccessor(db, hashToken(refreshToken))
      return found && { ...found, at: found.at.toISOString() }
    },

    /** Returns the signed-in user with their company and Project. */
    async me(db: Db, userId: string): Promise<Me> {
      const me = await findMe(db, userId)
      if (!me) throw fail('unauthorized', (say) => say.auth.badRefresh)
      return me
    },

    /**
     * Throws 401 if the session has ended, and 403 if its user has lost the permission or the
     * Project is suspended, as a new request would. For connections that outlive their token.
     */
    async requireLive(db: Db, sessionId: string, permission: Permission): Promise<void> {
      const row = await findSession(db, sessionId)
      requireOpen(row && { ...row, expiresAt: inMs(1) }, clock.now())
      if (row?.projectStatus !== 'ACTIVE') throw fail('forbidden', (say) => say.projects.inactive)
      if (!row || !hasPermission(row.role, permission))
        throw fail('forbidden', (say) => say.auth.roleForbids)
    },

    sweep: (db: Db): Promise<void> => sweepSessions(db, inMs(0)),
  }
}
