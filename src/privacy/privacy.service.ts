import type { AuditService } from '../audit/audit.service.ts'
import type { BusTopics } from '../bus/bus.port.ts'
import type { Db } from '../db/sql.ts'
import type { UserPrincipal } from '../http/principal.ts'
import type { InstancesService } from '../instances/instances.service.ts'
import type { Clock } from '../lib/clock.ts'
import type { Mailer } from '../mail/mail.port.ts'
import type { MembersService } from '../members/members.service.ts'
import type { PaymentsService } from '../payments/payments.service.ts'
import { fail } from '../phrases/fail.ts'
import { say } from '../phrases/phrases.ts'
import type { ProjectsService } from '../projects/projects.service.ts'
import type { SessionsService } from '../sessions/sessions.service.ts'
import {
  closeAccount,
  eraseMessages,
  eraseRecipients,
  eraseRest,
  expireFiles,
  findOwner,
  listLive,
  takeDeleted,
} from './erase.sql.ts'
import {
  listInstanceIds,
  readBasics,
  readCalls,
  readContacts,
  readConversations,
  readFiles,
  readGroups,
  readLedger,
  readMessages,
  readRecipients,
  type Mark,
} from './export.sql.ts'
import type { DeleteAccountBody } from './privacy.schemas.ts'

/** Time for the instances to log out before what they need for it is erased. */
const ERASED_AFTER_MS = 3600_000
const BATCH = 5000
const OWNER = 'Dono'
const BEGINNING: Mark = { at: new Date(0), seq: 0 }

export type PrivacyService = ReturnType<typeof createPrivacyService>

/** What an account's owner may ask of his data: all of it, or none of it any more (LGPD). */
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
}) {
  const { db: root, clock, audit, mailer, projects, sessions, members, payments } = deps
  const { instances, publish, inBackground } = deps
  const now = () => new Date(clock.now())

  async function requireOwner(db: Db, user: UserPrincipal) {
    const owner = await findOwner(db, user.userId)
    if (owner?.role !== OWNER) throw fail('forbidden', (words) => words.auth.roleForbids)
    return owner
  }

  /** A line for each thing that the account holds, as JSON. */
  async function* lines(db: Db, accountId: string): AsyncGenerator<string> {
    const line = (type: string, data: object) => `${JSON.stringify({ type, data })}\n`
    for (const { type, data } of await readBasics(db, accountId)) yield line(type, data)
    async function* pages(
      type: string,
      id: string,
      read: (db: Db, id: string, after: string) => Promise<{ rows: object[]; next: string | null }>,
    ) {
      for (let after: string | null = ''; after !== null;) {
        const page: { rows: object[]; next: string | null } = await read(db, id, after)
        for (const data of page.rows) yield line(type, data)
        after = page.next
      }
    }
    for (const instanceId of await listInstanceIds(db, accountId)) {
      yield* pages('contact', instanceId, readContacts)
      yield* pages('conversation', instanceId, readConversations)
      yield* pages('group', instanceId, readGroups)
      yield* pages('call', instanceId, readCalls)
      for (let after: Mark | null = BEGINNING; after !== null;) {
        const page: Awaited<ReturnType<typeof readMessages>> = await readMessages(
          ...([db, instanceId, after] as const),
        )
        for (const data of page.rows) yield line('message', data)
        after = page.next
      }
    }
    yield* pages('recipient', accountId, readRecipients)
    yield* pages('file', accountId, readFiles)
    yield* pages('credit', accountId, readLedger)
  }

  /** Erases a deleted account as far as it can be now; false when none is left to erase. */
  async function eraseOne(): Promise<boolean> {
    return root.transaction(async (tx) => {
      const before = new Date(clock.now() - ERASED_AFTER_MS)
      const accountId = await takeDeleted(tx, before)
      if (accountId === null) return false
      if ((await eraseMessages(tx, accountId, BATCH)) > 0) return true
      if ((await eraseRecipients(tx, accountId, BATCH)) > 0) return true
      // Their bytes are swept by the room that keeps them; the rest follows them.
      if ((await expireFiles(tx, accountId, now())) > 0) return false
      await eraseRest(tx, accountId, now())
      return true
    })
  }

  return {
    /** All that the account holds, line by line, as it is asked for; noted in the audit log. 403 for all but a Dono. */
    async export(db: Db, user: UserPrincipal): Promise<AsyncGenerator<string>> {
      const { accountId } = await requireOwner(db, user)
      const entry = { actor: user.userId, action: 'account.export', object: accountId }
      await audit.record(db, { ...entry, before: null, after: null })
      return lines(db, accountId)
    },

    /**
     * Ends an account at once and for good: sessions, keys, webhooks, campaigns and payments end, its numbers are logged out.
     * What it held is erased an hour later. 400 for a wrong password, code or name, 403 for all but a Dono, 503 when the
     * payment service could not be told.
     */
    async delete(db: Db, user: UserPrincipal, input: DeleteAccountBody): Promise<void> {
      await sessions.proveIdentity(db, user.userId, input)
      const { company } = await requireOwner(db, user)
      if (input.company.trim() !== company) {
        throw fail('bad_request', (words) => words.privacy.wrongCompany)
      }
      await payments.end(db, user.projectId)
      const people = await db.transaction(async (tx) => {
        const { accountId } = await requireOwner(tx, user)
        for (const { id, mode } of await listLive(tx, user.projectId)) {
          await instances.remove(tx, { projectId: user.projectId, mode, keyId: null }, id)
        }
        const closed = await closeAccount(tx, accountId, now())
        const settings = { status: 'SUSPENDED' as const }
        await projects.set(tx, user.projectId, 'account.delete', settings, user.userId)
        for (const { id } of closed.people) await members.forget(tx, id)
        tx.afterCommit(() => closed.webhookIds.forEach((id) => publish('webhooks', id)))
        return closed.people
      })
      const { deletedSubject: subject, deletedBody } = say.mail
      inBackground(async () => {
        for (const { email: to } of people) {
          await mailer.send({ to, subject, text: deletedBody(company) })
        }
      })
    },

    /** Erases what deleted accounts have left. */
    async sweep(): Promise<void> {
      while (await eraseOne());
    },
  }
}
