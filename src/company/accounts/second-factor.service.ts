import { randomBytes } from 'node:crypto'
import type { AuditService } from '../audit/audit.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Caller } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { normalEmail } from '../../kernel/person.ts'
import { hashToken, type Seal } from '../../kernel/seal.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { findUserByEmail } from './accounts.sql.ts'
import {
  findSecondFactor,
  storeSecret,
  enableSecondFactor,
  disableSecondFactor,
  useRecoveryCode,
  useStep,
  type SecondFactor,
} from './second-factor.sql.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'

const STEP_SECONDS = 30
/** Time steps by which a phone's clock may be off. */
const WINDOW = 1
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 8

/** Manages second factors; see `createSecondFactorService`. */
export type SecondFactorService = ReturnType<typeof createSecondFactorService>

/** Manages TOTP second factors (RFC 6238) and recovery codes in case the app is lost. */
export function createSecondFactorService(deps: {
  clock: Clock
  seal: Seal
  audit: AuditService
  mailer: Mailer
  panelUrl: string
  inBackground: (work: () => Promise<void>) => void
}) {
  const { clock, seal, audit, mailer, panelUrl, inBackground } = deps
  const context = (userId: string) => `${userId}/totp`
  /** The library uses megabytes of memory, so it is loaded on first use. */
  const totpOf = async (secret: Buffer, label: string) => {
    const { Secret, TOTP } = await import('otpauth')
    return new TOTP({
      issuer: 'Recado',
      label,
      period: STEP_SECONDS,
      secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    })
  }

  /** Whether the code is currently valid and was not used before. */
  async function isValidTotp(
    db: Db,
    userId: string,
    sealed: Buffer,
    code: string,
  ): Promise<boolean> {
    const totp = await totpOf(seal.open(sealed, context(userId)), '')
    const delta = totp.validate({ token: code, timestamp: clock.now(), window: WINDOW })
    if (delta === null) return false
    return useStep(db, userId, Math.floor(clock.now() / 1000 / STEP_SECONDS) + delta)
  }

  return {
    /** Checks a TOTP or recovery code and marks it as used; `off` if no code is required. */
    async check(
      db: Db,
      userId: string,
      typed: string | undefined,
    ): Promise<'off' | 'good' | 'missing' | 'wrong'> {
      const factor = await findSecondFactor(db, userId)
      if (!factor?.on || !factor.sealed) return 'off'
      const code = normalizeCode(typed ?? '')
      if (code === '') return 'missing'
      const good = /^\d{6}$/.test(code)
        ? await isValidTotp(db, userId, factor.sealed, code)
        : await useRecoveryCode(db, userId, hashToken(code), new Date(clock.now()))
      return good ? 'good' : 'wrong'
    },

    /**
     * Stores a new secret, pending confirmation, and returns it with the `otpauth:` URI for an app.
     * Throws 409 if a second factor is already on.
     */
    async begin(db: Db, userId: string): Promise<{ secret: string; uri: string }> {
      const factor = await findSecondFactor(db, userId)
      const secret = randomBytes(20)
      const stored = await storeSecret(db, userId, seal.close(secret, context(userId)))
      if (!factor || !stored) throw fail('conflict', (say) => say.auth.factorOn)
      const totp = await totpOf(secret, factor.email)
      return { secret: totp.secret.base32, uri: totp.toString() }
    },

    /**
     * Turns the second factor on with a code of the new secret. Returns the recovery codes, which
     * are not retrievable later. Throws 400 for a wrong code and 409 if it is already on.
     */
    async confirm(db: Db, caller: Caller, typed: string): Promise<{ recoveryCodes: string[] }> {
      const { actor: userId } = caller
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        randomBytes(RECOVERY_BYTES).toString('hex'),
      )
      const user = await db.transaction(async (tx) => {
        const factor = await findSecondFactor(tx, userId, true)
        if (factor?.on) throw fail('conflict', (say) => say.auth.factorOn)
        const good =
          factor?.sealed && (await isValidTotp(tx, userId, factor.sealed, normalizeCode(typed)))
        if (!good) throw fail('bad_request', (say) => say.auth.wrongCode, { field: 'code' })
        await enableSecondFactor(tx, userId, codes.map(hashToken))
        await audit.recordOwnAction(tx, caller, 'second_factor.on')
        return factor
      })
      notifyUser(user, true)
      return { recoveryCodes: codes.map((code) => code.replace(/^(.{8})/, '$1-')) }
    },

    async end(db: Db, caller: Caller): Promise<void> {
      const { actor: userId } = caller
      const user = await db.transaction(async (tx) => {
        const factor = await findSecondFactor(tx, userId, true)
        await disableSecondFactor(tx, userId)
        await audit.recordOwnAction(tx, caller, 'second_factor.off')
        return factor
      })
      notifyUser(user, false)
    },
  }

  function notifyUser(user: SecondFactor | null, on: boolean): void {
    if (!user) return
    const { email, language } = user
    inBackground(() =>
      mailer.send(
        composeMail(email, language ?? 'pt-BR', (mail) => mail.secondFactor({ on, panelUrl })),
      ),
    )
  }
}

/** Removes the spaces and hyphens of a typed code and lowercases it. */
function normalizeCode(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toLowerCase()
}

/**
 * Turns off the second factor of a user who has lost it, whom the operator has identified, and mails them. Throws 404 for
 * an unknown address.
 */
export async function resetSecondFactor(
  deps: { db: Db; audit: AuditService; mailer: Mailer; panelUrl: string },
  email: string,
): Promise<{ email: string }> {
  const { db, audit, mailer, panelUrl } = deps
  const user = await findUserByEmail(db, normalEmail(email))
  if (!user) throw fail('not_found', (say) => say.accounts.notFound)
  const factor = await db.transaction(async (tx) => {
    const before = await findSecondFactor(tx, user.id, true)
    await disableSecondFactor(tx, user.id)
    const entry = { actor: 'operator', action: 'second_factor.off', object: user.id }
    await audit.record(tx, { ...entry, before: null, after: null })
    return before
  })
  const language = factor?.language ?? 'pt-BR'
  await mailer.send(
    composeMail(user.email, language, (mail) => mail.secondFactor({ on: false, panelUrl })),
  )
  return { email: user.email }
}
