import type { AccountsService } from '../accounts/accounts.service.ts'
import { normalEmail } from '../accounts/accounts.service.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { UserPrincipal } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId, randomToken } from '../../kernel/ids.ts'
import { networkOf } from '../../kernel/attempt-limiter.ts'
import { hashToken, type Seal } from '../../kernel/seal.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import {
  MAX_ATTEMPTS_PER_ACCOUNT,
  MAX_ATTEMPTS_PER_ACCOUNT_ANYWHERE,
  MAX_ATTEMPTS_PER_ADDRESS,
  type Admission,
} from './admission.service.ts'
import { createDeviceTokens } from './device-tokens.ts'
import { proofs } from './proofs.ts'
import { requestedMails } from './requested-mails.ts'
import type { Appearance, Me, OpenedSession, Successor } from './sessions.schemas.ts'
import {
  endSession,
  endSessions,
  findMe,
  findSession,
  findSuccessor,
  findToken,
  insertTokens,
  listSessions,
  openSession,
  setAppearance,
  sweepSessions,
  useToken,
  type Device,
  type SessionRow,
} from './sessions.sql.ts'

/** Lifetime of an access token. */
export const ACCESS_MS = 15 * 60_000
/** Lifetime of a refresh token. */
export const REFRESH_MS = 30 * 24 * 3600_000
const MAX_LISTED_SESSIONS = 10

/** Address and browser of a sign-in. */
export type From = Device & { address: string }
/** The tokens of a session. */
export type Tokens = { accessToken: string; refreshToken: string }
/** Manages sessions; see `createSessionsService`. */
export type SessionsService = ReturnType<typeof createSessionsService>

/** Sign-in with a password, one open session per user (G6). */
export function createSessionsService(deps: {
  clock: Clock
  accounts: AccountsService
  secondFactor: SecondFactorService
  emailChange: EmailChangeService
  audit: AuditService
  admission: Admission
  seal: Seal
}) {
  const { clock, accounts, secondFactor, emailChange, audit, admission } = deps
  const devices = createDeviceTokens(deps.seal)
  const inMs = (ms: number) => new Date(clock.now() + ms)

  async function issue(tx: Db, sessionId: string): Promise<Tokens> {
    const accessToken = randomToken('uat')
    const refreshToken = randomToken('urt')
    await insertTokens(tx, sessionId, [
      { hash: hashToken(accessToken), kind: 'access', expiresAt: inMs(ACCESS_MS) },
      { hash: hashToken(refreshToken), kind: 'refresh', expiresAt: inMs(REFRESH_MS) },
    ])
    return { accessToken, refreshToken }
  }

  /** Opens a session and ends the person's earlier one; null when the password has changed meanwhile. */
  const open = (
    db: Db,
    { userId, passwordHash }: { userId: string; passwordHash: string },
    { address, ...device }: From,
  ): Promise<Tokens | null> =>
    db.transaction(async (tx) => {
      const id = newId('ses', clock.now())
      const session = { id, userId, passwordHash, now: inMs(0), ...device }
      if (!(await openSession(tx, session))) return null
      await audit.ofSelf(tx, { actor: userId, address }, 'session.open')
      return issue(tx, id)
    })

  /** The limits of guesses at an account's password from a network. */
  function passwordLimits(email: string, address: string, knownDevice: boolean) {
    const account = normalEmail(email)
    const network = networkOf(address)
    return [
      { subject: `account:${account} ${network}`, max: MAX_ATTEMPTS_PER_ACCOUNT },
      { subject: `address:${network}`, max: MAX_ATTEMPTS_PER_ADDRESS },
      // From everywhere, so that many addresses help little; strangers cannot lock a known browser out.
      ...(knownDevice
        ? []
        : [{ subject: `account:${account}`, max: MAX_ATTEMPTS_PER_ACCOUNT_ANYWHERE }]),
    ]
  }

  /** The person of this pair, or null; counted as a failure when there is none. Throws 429. */
  function checkPassword(
    db: Db,
    input: { email: string; password: string },
    address: string,
    knownDevice: boolean,
  ) {
    const { email, password } = input
    return admission.attempt(passwordLimits(email, address, knownDevice), () =>
      admission.hashing(address, () => accounts.verify(db, email, password)),
    )
  }

  return {
    /** 401 for a wrong pair or code, or OTP_REQUIRED where one is needed and absent; 403 before the e-mail is confirmed, 429 after too many failures. */
    async login(
      db: Db,
      input: { email: string; password: string; code: string | undefined; device: string | null },
      from: From,
    ): Promise<Tokens> {
      const knownDevice = devices.isOf(input.device, normalEmail(input.email))
      const user = await checkPassword(db, input, from.address, knownDevice)
      if (!user) throw fail('unauthorized', (say) => say.auth.wrongPassword)
      // Only those who know the password can guess at codes: their failures count from everywhere.
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

    /** What marks a browser as one that has signed in to this account. */
    deviceToken: (email: string): string => devices.issue(normalEmail(email)),

    ...proofs({ accounts, secondFactor, emailChange, admission }),

    ...requestedMails({ accounts, admission, checkPassword }),

    /** Sets a new password by the link of a mail and ends every session that the old one opened. */
    resetPassword: (
      db: Db,
      input: { token: string; password: string },
      address: string,
    ): Promise<void> =>
      admission.hashing(address, () =>
        accounts.resetPassword(db, input, async (tx, actor) => {
          await endSessions(tx, actor, inMs(0))
          await audit.ofSelf(tx, { actor, address }, 'password.reset')
        }),
      ),

    /** How this person likes the panel. */
    setAppearance: (db: Db, userId: string, appearance: Appearance): Promise<void> =>
      setAppearance(db, userId, appearance),

    /** The person's last sessions, the newest first. */
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

    /** Ends whatever this person has open. */
    endAll: (tx: Db, userId: string) => endSessions(tx, userId, inMs(0)),

    /** Exchanges a refresh token for a new pair; a token used twice ends the session. */
    async refresh(db: Db, refreshToken: string): Promise<Tokens> {
      const hash = hashToken(refreshToken)
      const row = await findToken(db, hash, 'refresh')
      requireOpen(row, clock.now())
      if (row.usedAt === null) {
        const tokens = await db.transaction(async (tx) =>
          (await useToken(tx, hash, inMs(0))) ? issue(tx, row.sessionId) : null,
        )
        if (tokens) return tokens
      }
      await endSession(db, row.sessionId, inMs(0))
      throw fail('unauthorized', (say) => say.auth.badRefresh, {
        internal: 'refresh token re-used',
      })
    },

    /** Ends the session of this access or refresh token, if it is one. */
    async logout(db: Db, token: string): Promise<void> {
      const hash = hashToken(token)
      const row = (await findToken(db, hash, 'access')) ?? (await findToken(db, hash, 'refresh'))
      if (row) await endSession(db, row.sessionId, inMs(0))
    },

    /** The person behind an access token; null when it is none. Throws SESSION_SUPERSEDED. */
    async authenticate(
      db: Db,
      accessToken: string,
    ): Promise<(Omit<UserPrincipal, 'address'> & { projectStatus: string }) | null> {
      const row = await findToken(db, hashToken(accessToken), 'access')
      if (!row) return null
      requireOpen(row, clock.now())
      const { userId, sessionId, projectId, role, projectStatus } = row
      return { kind: 'user', userId, sessionId, projectId, role, projectStatus }
    },

    /**
     * Confirms an address by the token of its mail, and signs in the browser that signed up. 400 for a link that is unknown,
     * used or too old.
     */
    async confirmEmail(
      db: Db,
      token: string,
      browser: string | null,
      from: From,
    ): Promise<Tokens | null> {
      const user = await accounts.confirmEmail(db, token, browser)
      return user && open(db, user, from)
    },

    /** What ended the session of a refresh token; null when no other session did. */
    async successor(db: Db, refreshToken: string): Promise<Successor | null> {
      const found = await findSuccessor(db, hashToken(refreshToken))
      return found && { ...found, at: found.at.toISOString() }
    },

    /** The person and the company, as the panel greets them. */
    async me(db: Db, userId: string): Promise<Me> {
      const me = await findMe(db, userId)
      if (!me) throw fail('unauthorized', (say) => say.auth.badRefresh)
      return me
    },

    /** Throws if the session has ended, for connections that outlive their token. */
    async requireLive(db: Db, sessionId: string): Promise<void> {
      const row = await findSession(db, sessionId)
      requireOpen(row && { ...row, expiresAt: inMs(1) }, clock.now())
    },

    sweep: (db: Db): Promise<void> => sweepSessions(db, inMs(0)),
  }
}

function requireOpen<Row extends Pick<SessionRow, 'supersededAt' | 'endedAt' | 'expiresAt'>>(
  row: Row | null,
  now: number,
): asserts row is Row {
  if (row?.supersededAt) {
    throw fail('unauthorized', (say) => say.auth.superseded, { code: 'SESSION_SUPERSEDED' })
  }
  if (!row || row.endedAt || row.expiresAt.getTime() <= now) {
    throw fail('unauthorized', (say) => say.auth.badRefresh)
  }
}
