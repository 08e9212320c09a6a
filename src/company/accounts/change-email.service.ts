import type { AuditService } from '../audit/audit.service.ts'
import { isUniqueViolation } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Clock } from '../../kernel/clock.ts'
import { randomToken } from '../../kernel/ids.ts'
import { hashToken } from '../../kernel/seal.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import { readEmail } from '../../kernel/person.ts'
import { applyChange, confirmChange, findAddress, putChange } from './change-email.sql.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'

const CHANGE_MS = 24 * 3600_000

/** Changes the email address of users; see `createEmailChangeService`. */
export type EmailChangeService = ReturnType<typeof createEmailChangeService>

/** Changes a user's email address. The caller has checked the user's password; both addresses must confirm. */
export function createEmailChangeService(deps: {
  clock: Clock
  mailer: Mailer
  audit: AuditService
  panelUrl: string
}) {
  const { clock, mailer, audit, panelUrl } = deps

  return {
    /**
     * Mails a link to both addresses. The caller must have proved their identity. Throws 400 for an
     * invalid address.
     */
    async begin(db: Db, userId: string, address: string): Promise<void> {
      const email = readEmail(address)
      const user = await findAddress(db, userId)
      if (!user) return
      const { email: before, language } = user
      const [old, fresh] = [randomToken('mud'), randomToken('mud')]
      const expiresAt = new Date(clock.now() + CHANGE_MS)
      const hashes = { oldHash: hashToken(old), newHash: hashToken(fresh) }
      await putChange(db, { userId, email, ...hashes, expiresAt })
      for (const [to, token] of [
        [before, old],
        [email, fresh],
      ] as const) {
        const link = `${panelUrl}/mudar-email?token=${token}`
        await mailer.send(
          composeMail(to, language ?? 'pt-BR', (mail) =>
            mail.changeEmail({ link, before, after: email }),
          ),
        )
      }
    },

    /**
     * Records the confirmation of one address; with the second, the change takes effect. Returns
     * whether it has. Throws 400 for a link that is unknown, expired or already used, and
     * 409 if the address has been taken since.
     */
    confirm: (db: Db, token: string, address: string): Promise<boolean> =>
      db
        .transaction(async (tx) => {
          const change = await confirmChange(tx, hashToken(token), new Date(clock.now()))
          if (!change) throw fail('bad_request', (say) => say.accounts.badChange)
          const { userId, email, confirmed } = change
          if (!confirmed) return false
          const before = { email: (await findAddress(tx, userId))?.email ?? null }
          if (!(await applyChange(tx, userId, email, new Date(clock.now())))) {
            throw fail('conflict', (say) => say.accounts.emailTaken)
          }
          const entry = { actor: userId, address, action: 'email.change', object: userId, before }
          await audit.record(tx, { ...entry, after: { email } })
          return true
        })
        .catch((error: unknown) => {
          // Another transaction took the address after it was checked.
          if (isUniqueViolation(error)) throw fail('conflict', (say) => say.accounts.emailTaken)
          throw error
        }),
  }
}
