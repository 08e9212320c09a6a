import { hasPermission } from '../../kernel/permissions.ts'
import type { AuditService } from '../../company/audit/audit.service.ts'
import type { BusTopics } from '../../platform/bus/bus.port.ts'
import { isMissingTable } from '../../platform/db/database-errors.ts'
import type { Db } from '../../platform/db/sql.ts'
import { OPERATOR, toCaller, type Caller, type UserPrincipal } from '../../kernel/principal.ts'
import type { InstancesService } from '../../instances/instances.service.ts'
import type { PendingWork } from '../../kernel/pending-work.ts'
import type { Clock } from '../../kernel/clock.ts'
import { createLoop } from '../../kernel/loop.ts'
import type { Mailer } from '../../platform/mail/mail.port.ts'
import type { MembersService } from '../../company/members/members.service.ts'
import type { PaymentsService } from '../../company/payments/payments.service.ts'
import { fail } from '../../kernel/phrases/fail.ts'
import type { ProjectsService } from '../../company/projects/projects.service.ts'
import type { SessionsService } from '../../company/sessions/sessions.service.ts'
import { closeAccount, closeUnconfirmed, findOwner, listLive } from './close.sql.ts'
import {
  eraseContacts,
  eraseConversations,
  eraseMessages,
  eraseRecipients,
  eraseNames,
  eraseRows,
  expireFiles,
  postponeErasure,
  findDueErasure,
  lockDueErasure,
} from './erase.sql.ts'
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

/** Time for instances to log out before their credentials are erased. */
const ERASED_AFTER_MS = 3600_000
const FILES_SWEPT_MS = 15 * 60_000
/** A sign-up that stays unconfirmed this long is closed, and its personal data erased. */
const UNCONFIRMED_KEPT_MS = 30 * 24 * 3600_000
const POLL_INTERVAL_MS = 10 * 60_000
const BATCH = 5000
/** Instances that are listed at once. */
const INSTANCES_AT_ONCE = 100
const MAX_CLOSED = 100
const BEGINNING: Mark = { at: new Date(0), seq: 0 }

/** Runs `work`, and once more if retention drops a partition between its listing and the deletion from it. */
async function retryOnDroppedTable(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isMissingTable(error)) throw error
    await work()
  }
}

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
  activity: PendingWork
  inBackground: (work: () => Promise<void>) => void
  onError: (error: unknown, task?: string) => void
}) {
  const { db: root, clock, audit, mailer, projects, sessions, members, payments } = deps
  const { instances, publish, activity, inBackground, onError } = deps
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

  /** Logs out and removes the instances of an account, each on its own. Returns how many; reports what fails. */
  async function endInstances(caller: Caller, accountId: string): Promise<number> {
    let [ended, after] = [0, '']
    for (;;) {
      const live = await listLive(root, accountId, { after, most: INSTANCES_AT_ONCE })
      for (const { id, projectId, mode } of live) {
        try {
          await instances.remove(root, { projectId, mode, keyId: null }, caller, id)
          ended++
        } catch (error) {
          onError(error, `removing instance ${id} of deleted account ${accountId}`)
        }
        after = id
      }
      if (live.length < INSTANCES_AT_ONCE) return ended
    }
  }

  /** Erases a batch of an account. */
  async function eraseBatch(tx: Db, accountId: string): Promise<void> {
    if (!(await lockDueErasure(tx, accountId, now()))) return
    for (const erase of [eraseMessages, eraseRecipients, eraseConversations, eraseContacts]) {
      if ((await erase(tx, accountId, BATCH)) > 0) return
    }
    const files = await expireFiles(tx, accountId, now(), BATCH)
    if (files.expired > 0) return
    // The module `media` removes the bytes of files first; the rest is erased afterwards.
    if (files.isLeft) return postponeErasure(tx, accountId, inMs(FILES_SWEPT_MS))
    const live = await listLive(tx, accountId, { after: '', most: 1 })
    // Without its row and credentials, an instance could no longer log out.
    if (live.length > 0) return postponeErasure(tx, accountId, inMs(ERASED_AFTER_MS))
    if ((await eraseRows(tx, accountId, BATCH)) === 0) await eraseNames(tx, accountId, now())
  }

  /** Erases a batch of a deleted account. Returns true if the next one may follow immediately. */
  async function eraseSome(): Promise<boolean> {
    const accountId = await findDueErasure(root, now())
    if (accountId === null) return false
    try {
      // Those that a crash or a failure kept from being removed when the account was deleted.
      const ended = await endInstances(OPERATOR, accountId)
      if (ended > 0) await postponeErasure(root, accountId, inMs(ERASED_AFTER_MS))
      else await retryOnDroppedTable(() => root.transaction((tx) => eraseBatch(tx, accountId)))
    } catch (error) {
      // An account that cannot be erased now must not block the others.
      await postponeErasure(root, accountId, inMs(ERASED_AFTER_MS))
      throw error
    }
    return true
  }
  async function closeSome(): Promise<boolean> {
    const times = { before: inMs(-UNCONFIRMED_KEPT_MS), now: now() }
    return (await closeUnconfirmed(root, { ...times, most: MAX_CLOSED })) === MAX_CLOSED
  }

  // Separate loops, so that neither delays the other.
  const tasks = [
    { task: 'closing unconfirmed accounts', run: closeSome },
    { task: 'erasing deleted accounts', run: eraseSome },
  ]
  const loops = tasks.map(({ task, run }) =>
    createLoop({
      task,
      clock,
      activity,
      onError,
      everyMs: () => POLL_INTERVAL_MS,
      run,
    }),
  )

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
        await endInstances(toCaller(user), accountId)
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

    async stop() {
      await Promise.all(loops.map((loop) => loop.stop()))
    },
  }
}
