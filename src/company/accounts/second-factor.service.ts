import { randomBytes } from 'node:crypto'
import type { AuditService } from '../audit/audit.service.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Caller } from '../../kernel/principal.ts'
import type { Clock } from '../../kernel/clock.ts'
import { hashToken, type Seal } from '../../kernel/seal.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { say } from '../../kernel/phrases/phrases.ts'
import {
  findSecondFactor,
  storeSecret,
  enableSecondFactor,
  disableSecondFactor,
  useRecoveryCode,
  useStep,
} from './second-factor.sql.ts'

const STEP_SECONDS = 30
/** Time steps that the clock of a phone may deviate. */
const WINDOW = 1
const RECOVERY_CODES = 10
const RECOVERY_BYTES = 8

/** Manages second factors; see `createSecondFactorService`. */
export type SecondFactorService = ReturnType<typeof createSecondFactorService>

/** One-time codes of an app (RFC 6238) beside the password, and recovery codes in case the app is lost. */
export function createSecondFactorService(deps: {
  clock: Clock
  seal: Seal
  audit: AuditService
  mailer: Mailer
  inBackground: (work: () => Promise<void>) => void
}) {
  const { clock, seal, audit, mailer, inBackground } = deps
  const context = (userId: string) => `${userId}/totp`
  /** The library takes megabytes of memory, so it is loaded with the first use of a second factor. */
  const totpOf = async (secret: Buffer, label: string) => {
    const { Secret, TOTP } = await import('otpauth')
    return new TOTP({
      issuer: 'Recado',
      label,
      period: STEP_SECONDS,
      secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
    })
  }

  /** Whether the code is the app's of about now, for the first time. */
  async function isGood(db: Db, userId: string, sealed: Buffer, code: string): Promise<boolean> {
    const totp = await totpOf(seal.open(sealed, context(userId)), '')
    const delta = totp.validate({ token: code, timestamp: clock.now(), window: WINDOW })
    if (delta === null) return false
    return useStep(db, userId, Math.floor(clock.now() / 1000 / STEP_SECONDS) + delta)
  }

  return {
    /** What a sign-in with this code comes to. A recovery code serves once. */
    async check(
      db: Db,
      userId: string,
      typed: string | undefined,
    ): Promise<'off' | 'good' | 'missing' | 'wrong'> {
      const factor = await findSecondFactor(db, userId)
      if (!factor?.on || !factor.sealed) return 'off'
      const code = plain(typed ?? '')
      if (code === '') return 'missing'
      const good = /^\d{6}$/.test(code)
        ? await isGood(db, userId, factor.sealed, code)
        : await useRecoveryCode(db, userId, hashToken(code), new Date(clock.now()))
      return good ? 'good' : 'wrong'
    },

    /** A new secret, and the address that an app reads it from. 409 when a second factor is in force. */
    async begin(db: Db, userId: string): Promise<{ secret: string; uri: string }> {
      const factor = await findSecondFactor(db, userId)
      const secret = randomBytes(20)
      const kept = await storeSecret(db, userId, seal.close(secret, context(userId)))
      if (!factor || !kept) throw fail('conflict', (words) => words.auth.factorOn)
      const totp = await totpOf(secret, factor.email)
      return { secret: totp.secret.base32, uri: totp.toString() }
    },

    /** Puts the secret in force once the app has shown a code of it; answers the recovery codes, once. */
    async confirm(db: Db, caller: Caller, typed: string): Promise<{ recoveryCodes: string[] }> {
      const { actor: userId } = caller
      const codes = Array.from({ length: RECOVERY_CODES }, () =>
        randomBytes(RECOVERY_BYTES).toString('hex'),
      )
      const address = await db.transaction(async (tx) => {
        const factor = await findSecondFactor(tx, userId, true)
        if (factor?.on) throw fail('conflict', (words) => words.auth.factorOn)
        const good = factor?.sealed && (await isGood(tx, userId, factor.sealed, plain(typed)))
        if (!good) throw fail('bad_request', (words) => words.auth.wrongCode)
        await enableSecondFactor(tx, userId, codes.map(hashToken))
        await audit.ofSelf(tx, caller, 'second_factor.on')
        return factor?.email ?? ''
      })
      notifyUser(address, true)
      return { recoveryCodes: codes.map((code) => code.replace(/^(.{8})/, '$1-')) }
    },

    async end(db: Db, caller: Caller): Promise<void> {
      const { actor: userId } = caller
      const address = await db.transaction(async (tx) => {
        const factor = await findSecondFactor(tx, userId, true)
        await disableSecondFactor(tx, userId)
        await audit.ofSelf(tx, caller, 'second_factor.off')
        return factor?.email ?? ''
      })
      notifyUser(address, false)
    },
  }

  function notifyUser(to: string, on: boolean): void {
    const { factorSubject: subject, factorBody } = say.mail
    inBackground(() => mailer.send({ to, subject, text: factorBody(on) }))
  }
}

/** Codes are typed with spaces and hyphens, in either case. */
function plain(typed: string): string {
  return typed.replaceAll(/[\s-]/g, '').toLowerCase()
}
