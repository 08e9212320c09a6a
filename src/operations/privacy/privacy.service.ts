import { hasPermission } from '../../kernel/permissions.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import type { Db } from '../../platform/db/sql.ts'
import { toCaller, type UserPrincipal } from '../../kernel/principal.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import type { MembersService } from '../../company/members/members.service.ts'
import type { PaymentsService } from '../../company/payments/payments.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { SessionsService } from '../../company/sessions/sessions.service.ts'
import { closeAccount, findOwner } from './close.sql.ts'
import { endInstances } from './end-instances.ts'
import { ERASED_AFTER_MS } from './erasure.worker.ts'
import {
  listPlaces,
  OF_INSTANCE,
  OF_PROJECT,
  readAudit,
  readBasics,
  readMessages,
  readRecipients,
  type Mark,
  type Page,
} from './export.sql.ts'
import type { DeleteAccountBody } from './privacy.schemas.ts'
import { composeMail } from '../../platform/mail/compose-mail.ts'

const BEGINNING: Mark = { at: new Date(0), seq: 0 }

/** Exports and erases accounts; see `createPrivacyService`. */
export type PrivacyService = ReturnType<typeof createPrivacyService>

/** Creates the service that exports or erases all data of an account, at the request of an owner (LGPD). */
export function createPrivacyService(deps: {
  db: Db
  clock: Clock
  audit: AuditService
  mailer: Mailer
  projects: ProjectsService
  sessions: SessionsService
  members: MembersService
  payments: PaymentsService
  instances: InstancesService
  publish: BusTopics['publish']
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}) {
  const { clock, audit, mailer, projects, sessions, members, payments } = deps
  const { publish, inBackground } = deps
  const now = () => new Date(clock.now())
  const inMs = (ms: number) => new Date(clock.now() + ms)
  /** Accounts with an export in progress on this node. */
  const exporting = new Set<string>()

  async function requireOwner(db: Db, user: UserPrincipal) {
    const owner = await findOwner(db, user.userId)
    if (!owner || !hasPermission(owner.role, 'managePrivacy'))
      throw fail('forbidden', (say) => say.auth.roleForbids)
    return owner
  }

  /** Yields all data of an account: a JSON line per record. */
  async function* lines(db: Db, accountId: string): AsyncGenerator<string> {
    const line = (type: string, data: object) => `${JSON.stringify({ type, data })}\n`
    for (const { type, data } of await readBasics(db, accountId)) yield line(type, data)
    async function* pages(
      type: string,
      id: string,
      read: (db: Db, id: string, after: string) => Promise<Page>,
    ) {
      for (let after: string | null = ''; after !== null;) {
        const page: Page = await read(db, id, after)
        for (const data of page.rows) yield line(type, data)
        after = page.next
      }
    }
    const { projectIds, instanceIds, campaignIds } = await listPlaces(db, accountId)
    for (const instanceId of instanceIds) {
      for (const [type, read] of Object.entries(OF_INSTANCE)) yield* pages(type, instanceId, read)
      for (let after: Mark | null = BEGINNING; after !== null;) {
        const page: Awaited<ReturnType<typeof readMessages>> = await readMessages(
          ...([db, instanceId, after] as const),
        )
        for (const data of page.rows) yield line('message', data)
        after = page.next
      }
    }
    for (const campaignId of campaignIds) yield* pages('recipient', campaignId, readRecipients)
    for (const projectId of projectIds) {
      for (const [type, read] of Object.entries(OF_PROJECT)) yield* pages(type, projectId, read)
    }
    yield* pages('audit', accountId, readAudit)
  }

  /** Marks the export as finished when `work` ends: an account has one export at a time. */
  function alone(accountId: string, work: AsyncGenerator<string>): AsyncIterableIterator<string> {
    const finish = () => exporting.delete(accountId)
    // Not a generator, whose `finally` would not run if the client left before the first line.
    return {
      [Symbol.asyncIterator]() {
        return this
      },
      async next() {
        const result = await work.next().catch((error: unknown) => {
          finish()
          throw error
        })
        if (result.done) finish()
        return result
      },
      async return() {
        finish()
        await work.return(undefined)
        return { done: true, value: undefined }
      },
    }
  }

  return {
    /**
     * Exports all data of an account as a stream of lines, and records it in the audit log. Throws
     * 403 unless the user is an owner, 409 during another export.
     */
    async export(db: Db, user: UserPrincipal): Promise<AsyncIterable<string>> {
      const { accountId } = await requireOwner(db, user)
      if (exporting.has(accountId)) throw fail('conflict', (say) => say.privacy.copying)
      exporting.add(accountId)
      try {
        const entry = { ...toCaller(user), action: 'account.export', object: accountId }
        await audit.record(db, { ...entry, before: null, after: null })
      } catch (error) {
        exporting.delete(accountId)
        throw error
      }
      return alone(accountId, lines(db, accountId))
    },

    /**
     * Closes an account immediately and permanently: sessions, keys, webhooks and campaigns end, and
     * then its numbers are logged out, one by one. Its subscription ends now, or once the payment
     * service is reachable; its data is erased an hour later. Throws 400 for a wrong name, password or
     * code, 403 unless the user is an owner.
     */
    async delete(db: Db, user: UserPrincipal, input: DeleteAccountBody): Promise<void> {
      const { company } = await requireOwner(db, user)
      if (input.company.trim() !== company) {
        throw fail('bad_request', (say) => say.privacy.wrongCompany, { field: 'company' })
      }
      // Last, because it consumes the code.
      await sessions.proveIdentity(db, user.userId, input)
      const { projectId } = user
      const { accountId, people } = await db.transaction(async (tx) => {
        const { accountId } = await requireOwner(tx, user)
        const times = { now: now(), eraseAt: inMs(ERASED_AFTER_MS) }
        const closed = await closeAccount(tx, accountId, times)
        const settings = { status: 'SUSPENDED' as const }
        await projects.set(tx, projectId, 'account.delete', settings, {
          actor: user.userId,
          // The entry outlives the erasure of personal data.
          address: null,
        })
        for (const { id } of closed.people) await members.endAccess(tx, id)
        tx.afterCommit(() =>
          closed.webhookIds.forEach((webhookId) => publish('webhooks', { webhookId })),
        )
        return { accountId, people: closed.people }
      })
      inBackground(async () => {
        await endInstances(deps, toCaller(user), accountId)
      })
      inBackground(() => payments.end(db, projectId))
      inBackground(async () => {
        for (const { email, language } of people) {
          await mailer.send(
            composeMail(email, language ?? 'pt-BR', (mail) => mail.accountDeleted({ company })),
          )
        }
      })
    },
  }
}
