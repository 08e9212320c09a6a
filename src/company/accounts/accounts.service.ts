import { OWNER } from '../../kernel/permissions.ts'
import type { AuditService } from '../audit/audit.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { parseCnpj } from '../../kernel/cnpj.ts'
import { newId, randomToken } from '../../kernel/ids.ts'
import { normalEmail, readEmail, readPersonName } from '../../kernel/person.ts'
import { hashToken } from '../../kernel/seal.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import {
  confirmUser,
  findOpenSignUp,
  findPasswordHash,
  findUserByEmail,
  insertAccount,
  insertEmailToken,
  insertUser,
  isResetTokenValid,
  resetPassword,
  type OpenSignUp,
  type UserRow,
} from './accounts.sql.ts'
import { isCommonPassword } from './common-passwords.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'

export { releaseUnconfirmedAddress, removeUser } from './accounts.sql.ts'

const CONFIRMATION_MS = 24 * 3600_000
const RESET_MS = 3600_000

/** The data of a sign-up. */
export type SignUp = { company: string; taxId: string; email: string; password: string }
/** Manages accounts and their users; see `createAccountsService`. */
export type AccountsService = ReturnType<typeof createAccountsService>

const hashOf = (browser: string | null): Buffer | null =>
  browser === null ? null : hashToken(browser)

/** Manages accounts, sign-ups and passwords (G5). */
export function createAccountsService(deps: {
  clock: Clock
  mailer: Mailer
  projects: ProjectsService
  audit: AuditService
  panelUrl: string
  inBackground: (work: () => Promise<void>) => void
}) {
  const { clock, mailer, projects, audit, panelUrl, inBackground } = deps

  /** Inserts an account with its Project and owner. Throws EmailTaken. */
  async function insert(tx: Db, checked: Checked, confirmed: boolean) {
    const now = new Date(clock.now())
    const accountId = newId('acc', clock.now())
    const userId = newId('usr', clock.now())
    const { company, taxId, email, passwordHash } = checked
    await insertAccount(tx, { id: accountId, company, taxId, now })
    const user = { id: userId, accountId, email, passwordHash, role: OWNER, now }
    const fresh = await insertUser(tx, { ...user, confirmedAt: confirmed ? now : null })
    if (!fresh) throw new EmailTaken()
    const projectId = await projects.create(tx, accountId, company)
    return { accountId, projectId, userId, email }
  }

  async function storeToken(
    db: Db,
    userId: string,
    purpose: 'confirm' | 'reset',
    token: string,
    signUp: (Checked & { browserHash: Buffer | null }) | null,
  ): Promise<void> {
    const now = new Date(clock.now())
    const lifeMs = purpose === 'reset' ? RESET_MS : CONFIRMATION_MS
    const expiresAt = new Date(clock.now() + lifeMs)
    await insertEmailToken(db, { hash: hashToken(token), userId, purpose, signUp, now, expiresAt })
  }

  async function sendConfirmation(
    db: Db,
    userId: string,
    checked: Checked,
    { browserHash, language }: { browserHash: Buffer | null; language: Language },
  ): Promise<void> {
    const token = randomToken('cnf')
    await storeToken(db, userId, 'confirm', token, { ...checked, browserHash })
    const link = `${panelUrl}/confirmar-email?token=${token}`
    const { email, company } = checked
    await mailer.send(composeMail(email, language, (mail) => mail.confirm({ company, link })))
  }

  return {
    /**
     * Signs a company up and mails the confirmation link. Does not reveal whether the email address
     * is known: its owner receives a mail in either case. `browser` is a secret that identifies the
     * calling browser, and `language` is the one its user reads. `hashing` limits how many passwords are hashed at once.
     */
    async signUp(
      db: Db,
      input: SignUp,
      { browser, language }: { browser: string | null; language: Language },
      hashing: (work: () => Promise<string>) => Promise<string>,
    ): Promise<void> {
      const checked = await check(input, (password) => hashing(() => hashNewPassword(password)))
      try {
        const made = await db.transaction((tx) => insert(tx, checked, false))
        await sendConfirmation(db, made.userId, checked, { browserHash: hashOf(browser), language })
      } catch (error) {
        if (!(error instanceof EmailTaken)) throw error
        const user = await findUserByEmail(db, checked.email)
        if (user && !user.confirmedAt) {
          return sendConfirmation(db, user.id, checked, { browserHash: hashOf(browser), language })
        }
        const reads = user?.language ?? language
        await mailer.send(composeMail(checked.email, reads, (mail) => mail.taken({ panelUrl })))
      }
    },

    /**
     * Confirms an email address with the token of a mailed link. Returns the user to sign in if
     * this browser started the sign-up, otherwise null. Throws 400 for a link that is unknown, used
     * or older than 24 hours.
     */
    async confirmEmail(
      db: Db,
      token: string,
      browser: string | null,
    ): Promise<{ userId: string; passwordHash: string } | null> {
      const user = await confirmUser(db, hashToken(token), new Date(clock.now()))
      if (!user) throw fail('bad_request', (say) => say.accounts.badConfirmation)
      const same = browser !== null && user.browserHash?.equals(hashToken(browser))
      return same ? { userId: user.userId, passwordHash: user.passwordHash } : null
    },

    /** Mails the link of a sign-up again, unless the address is already confirmed. */
    async confirmAgain(
      db: Db,
      email: string,
      { browser, language }: { browser: string; language: Language },
    ): Promise<void> {
      const user = await findUserByEmail(db, normalEmail(email))
      if (!user || user.confirmedAt) return
      await sendConfirmation(db, user.id, user, { browserHash: hashToken(browser), language })
    },

    /**
     * Returns the unconfirmed sign-up of a link, even an expired one, or of the browser that
     * started it; null if there is none.
     */
    async findOpenSignUp(
      db: Db,
      { token, browser }: { token: string | undefined; browser: string | null },
    ): Promise<OpenSignUp | null> {
      if (token !== undefined) return findOpenSignUp(db, { hash: hashToken(token) })
      return browser === null ? null : findOpenSignUp(db, { browserHash: hashToken(browser) })
    },

    /** Mails a new confirmation link to the address of a sign-up. */
    sendAgain: (db: Db, signUp: OpenSignUp, language: Language): Promise<void> =>
      sendConfirmation(db, signUp.userId, signUp, { browserHash: signUp.browserHash, language }),

    /**
     * Mails a link to set a new password, in the background, so that the response does not reveal whether the address
     * is known.
     */
    mailReset(db: Db, address: string, language: Language): void {
      inBackground(async () => {
        const user = await findUserByEmail(db, normalEmail(address))
        if (!user) return
        const token = randomToken('rst')
        await storeToken(db, user.id, 'reset', token, null)
        const { company, email } = user
        const link = `${panelUrl}/redefinir-senha?token=${token}`
        const reads = user.language ?? language
        await mailer.send(composeMail(email, reads, (mail) => mail.reset({ company, link })))
      })
    },

    /**
     * Sets the password with a mailed link, which also proves the address, and notifies the user by mail. `then` runs
     * in the same transaction. Throws 400 for a link that is unknown, used or older than an hour, and for a bad
     * password.
     */
    async resetPassword(
      db: Db,
      { token, password }: { token: string; password: string },
      then: (tx: Db, userId: string) => Promise<void>,
    ): Promise<string> {
      const hash = hashToken(token)
      const bad = () => fail('bad_request', (say) => say.accounts.badReset)
      if (!(await isResetTokenValid(db, hash, new Date(clock.now())))) throw bad()
      const passwordHash = await hashNewPassword(password)
      const owner = await db.transaction(async (tx) => {
        const user = await resetPassword(tx, hash, passwordHash, new Date(clock.now()))
        if (!user) throw bad()
        await then(tx, user.id)
        return user
      })
      const { email, language } = owner
      inBackground(() =>
        mailer.send(
          composeMail(email, language ?? 'pt-BR', (mail) => mail.passwordChanged({ panelUrl })),
        ),
      )
      return email
    },

    /** Whether this is the user's password. */
    async verifyOwn(db: Db, userId: string, password: string): Promise<boolean> {
      return verifyPassword(password, await findPasswordHash(db, userId))
    },

    /** Creates an account as the operator. Mails a confirmation link unless it is `confirmed`. */
    async create(db: Db, input: SignUp, confirmed: boolean) {
      // Operators may use common passwords, for example for demos and tests.
      const checked = await check(input, async (password) => {
        requireLength(password)
        return hashPassword(password)
      })
      try {
        const made = await db.transaction(async (tx) => {
          const { userId, ...account } = await insert(tx, checked, confirmed)
          const { accountId: object } = account
          const entry = { actor: 'operator', action: 'account.create', object, before: null }
          // Only ids, because the log outlives the account's personal data.
          await audit.record(tx, { ...entry, after: { userId, projectId: account.projectId } })
          return { userId, account }
        })
        if (!confirmed) {
          const by = { browserHash: null, language: 'pt-BR' } as const
          await sendConfirmation(db, made.userId, checked, by)
        }
        return made.account
      } catch (error) {
        if (error instanceof EmailTaken) throw fail('conflict', (say) => say.accounts.emailTaken)
        throw error
      }
    },

    async getByEmail(db: Db, email: string): Promise<Omit<UserRow, 'passwordHash'>> {
      const user = await findUserByEmail(db, normalEmail(email))
      if (!user) throw fail('not_found', (say) => say.accounts.notFound)
      const { passwordHash: _, ...shown } = user
      return shown
    },

    /**
     * Returns the user with these credentials, or null. Takes as long for an unknown address as for
     * a wrong password.
     */
    async verify(db: Db, email: string, password: string): Promise<UserRow | null> {
      const user = await findUserByEmail(db, normalEmail(email))
      return (await verifyPassword(password, user?.passwordHash ?? null)) ? user : null
    },
  }
}

class EmailTaken extends Error {}
type Checked = Awaited<ReturnType<typeof check>>

/** Hashes a new password. Throws 400 if it is too short, too long or too common. */
export async function hashNewPassword(password: string): Promise<string> {
  requireLength(password)
  if (await isCommonPassword(password)) {
    throw fail('bad_request', (say) => say.accounts.commonPassword, { field: 'password' })
  }
  return hashPassword(password)
}

function requireLength(password: string): void {
  if (password.length < 8 || password.length > 200) {
    throw fail('bad_request', (say) => say.accounts.password, { field: 'password' })
  }
}

async function check(input: SignUp, hash = hashNewPassword) {
  // Must be one line, because it appears in mails to unconfirmed addresses.
  const company = readPersonName(input.company) ?? ''
  const email = normalEmail(input.email)
  const taxId = parseCnpj(input.taxId)
  const { password } = input
  if (company === '') throw fail('bad_request', (say) => say.accounts.company, { field: 'company' })
  if (!taxId) throw fail('bad_request', (say) => say.accounts.taxId, { field: 'taxId' })
  readEmail(email)
  return { company, email, taxId, passwordHash: await hash(password) }
}
