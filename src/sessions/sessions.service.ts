import type { AccountsService, SignUp } from '../accounts/accounts.service.ts'
import { normalEmail } from '../accounts/accounts.service.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { EmailChangeService } from '../accounts/change-email.service.ts'
import type { SecondFactorService } from '../accounts/second-factor.service.ts'
import type { Db } from '../db/sql.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { Clock } from '../lib/clock.ts'
import { newId, randomToken } from '../lib/ids.ts'
import { hashToken } from '../lib/seal.ts'
import { fail } from '../phrases/fail.ts'
import { createAdmission, TRIES_PER_ACCOUNT, TRY_WINDOW_MS } from './admission.ts'
import { proofs } from './proofs.ts'
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
  sweepTries,
  uncountTry,
  useToken,
  type Device,
  type SessionRow,
} from './sessions.sql.ts'

export const ACCESS_MS = 15 * 60_000
export const REFRESH_MS = 30 * 24 * 3600_000
const TRIES_PER_ADDRESS = 50
const RESETS_PER_ACCOUNT = 3
const CONFIRMS_PER_ACCOUNT = 5
const MOST_SESSIONS = 10

/** From where, and with what, somebody signs in. */
export type From = Device & { address: string }
export type Tokens = { accessToken: string; refreshToken: string }
export type SessionsService = ReturnType<typeof createSessionsService>

/** Sign-in with a password, one open session per user. Source: specification §2.2, 4.1, 5.7, contract §1. */
export function createSessionsService(deps: {
  clock: Clock
  accounts: AccountsService
  secondFactor: SecondFactorService
  emailChange: EmailChangeService
  audit: AuditService
}) {
  const { clock, accounts, secondFactor, emailChange, audit } = deps
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

  const admit = createAdmission(clock)

  return {
    /** 401 for a wrong pair or code, or OTP_REQUIRED where one is needed and absent; 403 before the e-mail is confirmed, 429 after too many failures. */
    async login(
      db: Db,
      input: { email: string; password: string; code: string | undefined },
      from: From,
    ): Promise<Tokens> {
      const account = `account:${normalEmail(input.email)}`
      const address = `address:${from.address}`
      await admit(db, [
        { subject: account, most: TRIES_PER_ACCOUNT },
        { subject: address, most: TRIES_PER_ADDRESS },
      ])
      const user = await accounts.verify(db, input.email, input.password)
      if (!user) throw fail('unauthorized', (say) => say.auth.wrongPassword)
      // Who guesses at codes uses his tries up.
      const factor = await secondFactor.check(db, user.id, input.code)
      if (factor === 'wrong') throw fail('unauthorized', (say) => say.auth.wrongCode)
      await uncountTry(db, [account, address])
      if (!user.confirmedAt) throw fail('forbidden', (say) => say.auth.unconfirmed)
      if (factor === 'missing') {
        throw fail('unauthorized', (say) => say.auth.codeNeeded, { reason: 'OTP_REQUIRED' })
      }
      const tokens = await open(db, { userId: user.id, passwordHash: user.passwordHash }, from)
      if (!tokens) throw fail('unauthorized', (say) => say.auth.wrongPassword)
      return tokens
    },

    ...proofs({ accounts, secondFactor, emailChange, admit }),

    /** Mails a link that makes the account; 429 when this address, or this e-mail's, has signed up too often. */
    async signUp(db: Db, input: SignUp, address: string, browser: string): Promise<void> {
      await admit(db, [
        { subject: `sign-up:${normalEmail(input.email)}`, most: TRIES_PER_ACCOUNT },
        { subject: `sign-up-address:${address}`, most: TRIES_PER_ADDRESS },
      ])
      await accounts.signUp(db, input, browser)
    },

    /** Mails the link of a sign-up again. 401 for a wrong pair, 429 after too many tries. */
    async confirmAgain(
      db: Db,
      input: { email: string; password: string; address: string },
      browser: string,
    ): Promise<void> {
      // A wrong password counts as one at the door does; the mails have a limit of their own.
      const account = `account:${normalEmail(input.email)}`
      const address = `address:${input.address}`
      await admit(db, [
        { subject: account, most: TRIES_PER_ACCOUNT },
        { subject: address, most: TRIES_PER_ADDRESS },
      ])
      if (!(await accounts.verify(db, input.email, input.password))) {
        throw fail('unauthorized', (say) => say.auth.wrongPassword)
      }
      await uncountTry(db, [account, address])
      const mails = `confirm:${normalEmail(input.email)}`
      await admit(db, [{ subject: mails, most: CONFIRMS_PER_ACCOUNT }])
      await accounts.confirmAgain(db, input.email, browser)
    },

    /**
     * Mails a fresh link to the address of a sign-up, for whoever holds an old link of it or the browser where it was made; does
     * nothing where there is none, or it was confirmed meanwhile. 429 after too many.
     */
    async resend(
      db: Db,
      proof: { token: string | undefined; browser: string | null },
      address: string,
    ): Promise<void> {
      await admit(db, [{ subject: `confirm-address:${address}`, most: TRIES_PER_ADDRESS }])
      const signUp = await accounts.findOpenSignUp(db, proof)
      if (!signUp) return
      await admit(db, [{ subject: `confirm:${signUp.email}`, most: CONFIRMS_PER_ACCOUNT }])
      await accounts.sendAgain(db, signUp)
    },

    /** Mails a link for a new password; 429 when this account or address has asked too often. */
    async forgotPassword(db: Db, email: string, address: string): Promise<void> {
      await admit(db, [
        { subject: `reset:${normalEmail(email)}`, most: RESETS_PER_ACCOUNT },
        { subject: `reset-address:${address}`, most: TRIES_PER_ADDRESS },
      ])
      accounts.mailReset(db, email)
    },

    /** Sets a new password by the link of a mail and ends every session that the old one opened. */
    resetPassword: (
      db: Db,
      input: { token: string; password: string },
      address: string,
    ): Promise<void> =>
      accounts.resetPassword(db, input, async (tx, actor) => {
        await endSessions(tx, actor, inMs(0))
        await audit.ofSelf(tx, { actor, address }, 'password.reset')
      }),

    /** How this person likes the panel. */
    setAppearance: (db: Db, userId: string, appearance: Appearance): Promise<void> =>
      setAppearance(db, userId, appearance),

    /** The person's last sessions, the newest first. */
    async list(db: Db, { userId, sessionId }: UserPrincipal): Promise<{ items: OpenedSession[] }> {
      const rows = await listSessions(db, userId, MOST_SESSIONS)
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

    /** Throws when a session is over, for connections that outlive their token. */
    async requireLive(db: Db, sessionId: string): Promise<void> {
      const row = await findSession(db, sessionId)
      requireOpen(row && { ...row, expiresAt: inMs(1) }, clock.now())
    },

    async sweep(db: Db): Promise<void> {
      await sweepTries(db, inMs(-TRY_WINDOW_MS))
      await sweepSessions(db, inMs(0))
    },
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
