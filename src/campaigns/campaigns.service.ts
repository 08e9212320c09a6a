import { insufficientCredits, type BillingService } from '../company/billing/billing.service.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { toPage } from '../kernel/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import type { MediaService } from '../media/media.service.ts'
import type { MessagesService } from '../messaging/messages/messages.service.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { Campaign, CampaignStatus } from './campaigns.schemas.ts'
import type {
  ListRecipientsQuery,
  Recipient,
  RecipientImport,
  RecipientInput,
} from './recipients.schemas.ts'
import {
  countOpen,
  findCampaign,
  findFiles,
  findInstances,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  updateCampaign,
  type CampaignChange,
  type CampaignRow,
} from './campaigns.sql.ts'
import { importRecipients } from './import-recipients.ts'
import { createPreparer, type Draft } from './prepare-campaign.ts'
import { readCsv, type CsvLine } from './read-csv.ts'
import { listRecipients, skipPending } from './recipients.sql.ts'
import { priceOf, renderCampaign, resultsOf } from './render-campaign.ts'

const MAX_OPEN_CAMPAIGNS = 1000
const MAX_ACTIVE_CAMPAIGNS = 100
const IMPORT_CONCURRENCY = 2
const MAX_WAITING_IMPORTS = 500
const IMPORT_WAIT_MS = 60_000
const OPEN: CampaignStatus[] = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED']

/** Manages campaigns; see `createCampaignsService`. */
export type CampaignsService = ReturnType<typeof createCampaignsService>

/** Mass sending: made, filled, started and stopped here; `campaigns.worker` sends (G42). */
export function createCampaignsService(deps: {
  clock: Clock
  billing: BillingService
  media: MediaService
  messages: MessagesService
  projects: Pick<ProjectsService, 'numberCompleter'>
  publish: BusTopics['publish']
}) {
  const { clock, billing, media, messages, projects, publish } = deps
  const now = () => new Date(clock.now())

  async function getOrThrow(
    find: typeof findCampaign,
    db: Db,
    scope: Scope,
    campaignId: string,
  ): Promise<CampaignRow> {
    const row = await find(db, scope, campaignId, now())
    if (!row) throw fail('not_found', (say) => say.campaigns.notFound)
    return row
  }

  async function get(
    db: Db,
    scope: Scope,
    campaignId: string,
    imported: RecipientImport | null = null,
  ): Promise<Campaign> {
    return renderCampaign(await getOrThrow(findCampaign, db, scope, campaignId), imported)
  }

  /** Changes a campaign while its row is locked, and returns it. */
  function change(
    db: Db,
    scope: Scope,
    campaignId: string,
    work: (tx: Db, row: CampaignRow) => Promise<CampaignChange>,
  ): Promise<Campaign> {
    return db.transaction(async (tx) => {
      const row = await getOrThrow(lockCampaign, tx, scope, campaignId)
      await updateCampaign(tx, row.id, await work(tx, row), now())
      tx.afterCommit(() => publish('campaigns', { campaignId: row.id }))
      return get(tx, scope, row.id)
    })
  }

  /**
   * Checks what a campaign needs to run: permissions, recipients, credits for all of them, and a connected instance.
   */
  async function begin(tx: Db, scope: Scope, row: CampaignRow): Promise<CampaignChange> {
    await billing.requireSubscription(tx, scope)
    await billing.requireAddon(tx, scope, 'mass_sending')
    const { pending } = row.counts
    const price = priceOf({ ...row, charged: row.charged || scope.keyId !== null })
    if (price * pending > (await billing.credits(tx, row.projectId))) {
      throw insufficientCredits()
    }
    if (pending + row.counts.queued === 0) {
      throw fail('conflict', (say) => say.campaigns.noRecipients)
    }
    if (row.status === 'DRAFT' && (await countOpen(tx, scope)).underWay >= MAX_ACTIVE_CAMPAIGNS) {
      throw fail('bad_request', (say) => say.campaigns.tooManyUnderWay)
    }
    const failureWindowStart = { results: resultsOf(row.counts), failed: row.counts.failed }
    const rights = scope.keyId ? { keyId: scope.keyId, charged: true } : { keyId: null }
    const common = { ...rights, failureWindowStart, pause: null }
    if (row.scheduledAt && row.scheduledAt > now() && !row.startedAt) {
      return { ...common, status: 'SCHEDULED', dueAt: row.scheduledAt }
    }
    const instances = await findInstances(tx, scope, row.instanceIds, now())
    if (!instances.some(({ status }) => status === 'CONNECTED')) {
      throw fail('conflict', (say) => say.instances.notConnected, {
        reason: 'INSTANCE_NOT_CONNECTED',
      })
    }
    return { ...common, status: 'RUNNING', startedAt: row.startedAt ?? now(), dueAt: now() }
  }

  /** Adds recipients to a locked campaign that may still take some. */
  async function add(
    tx: Db,
    scope: Scope,
    row: CampaignRow,
    lines: Iterable<CsvLine> | AsyncIterable<CsvLine>,
  ): Promise<RecipientImport> {
    if (!OPEN.includes(row.status)) throw wrongStatus(row)
    const complete = await projects.numberCompleter(tx, scope.projectId)
    const { report, lastPosition } = await importRecipients(tx, scope, row, complete, lines)
    // Whom a key adds, a key pays for.
    const paid = scope.keyId ? { charged: true } : {}
    await updateCampaign(tx, row.id, { lastPosition, ...paid }, now())
    tx.afterCommit(() => publish('campaigns', { campaignId: row.id }))
    return report
  }

  return {
    prepare: createPreparer(deps),

    show: (db: Db, scope: Scope, campaignId: string) => get(db, scope, campaignId),

    async list(
      db: Db,
      scope: Scope,
      query: { status?: CampaignStatus; limit: number; offset: number },
    ) {
      const { status = null, limit, offset } = query
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listCampaigns(db, scope, status, page)
      return toPage(
        rows.map((row) => renderCampaign(row, null)),
        limit,
        offset,
      )
    },

    /** Makes the campaign that was prepared, as a draft, with its first recipients. */
    create: (
      db: Db,
      scope: Scope,
      draft: Draft,
      recipients: RecipientInput[] | undefined,
    ): Promise<Campaign> =>
      db.transaction(async (tx) => {
        if ((await countOpen(tx, scope)).open >= MAX_OPEN_CAMPAIGNS) {
          throw fail('bad_request', (say) => say.campaigns.tooManyDrafts)
        }
        await insertCampaign(tx, scope, { ...draft, charged: scope.keyId !== null }, now())
        const row = await getOrThrow(lockCampaign, tx, scope, draft.id)
        const report = recipients ? await add(tx, scope, row, toLines(recipients)) : null
        return get(tx, scope, draft.id, report)
      }),

    /** Long lists wait for one another here, before they hold anything that others need. */
    importing: createFairSemaphore({
      clock,
      max: IMPORT_CONCURRENCY,
      maxWaiting: MAX_WAITING_IMPORTS,
      timeoutMs: IMPORT_WAIT_MS,
    }),

    /** Adds recipients to a campaign that is not over. */
    addRecipients: (db: Db, scope: Scope, campaignId: string, recipients: RecipientInput[]) =>
      db.transaction(async (tx) =>
        add(tx, scope, await getOrThrow(lockCampaign, tx, scope, campaignId), toLines(recipients)),
      ),

    /** The same out of a CSV file on disk; 400 when it is none, or has more lines than one may have. */
    addFile: (db: Db, scope: Scope, campaignId: string, path: string) =>
      db.transaction(async (tx) =>
        add(tx, scope, await getOrThrow(lockCampaign, tx, scope, campaignId), readCsv(path)),
      ),

    /** Starts a draft now, or at its hour. 402, or 409 without recipients, a connected instance, or the right status. */
    start: (db: Db, scope: Scope, campaignId: string) =>
      change(db, scope, campaignId, async (tx, row) => {
        const next = await begin(tx, scope, row)
        if (row.status !== 'DRAFT') throw wrongStatus(row)
        return next
      }),

    /** No further recipient is taken; what was handed to the network's queue goes. */
    pause: (db: Db, scope: Scope, campaignId: string) =>
      change(db, scope, campaignId, async (_, row) => {
        const waits = row.status === 'PAUSED' && row.pause?.willResume
        if (row.status !== 'RUNNING' && row.status !== 'SCHEDULED' && !waits) throw wrongStatus(row)
        const pause = { reason: 'USER' as const, at: now().toISOString(), willResume: false }
        return { status: 'PAUSED', pause, dueAt: 'never' }
      }),

    /** Resumes at the exact recipient, with the same checks as a start. */
    resume: (db: Db, scope: Scope, campaignId: string) =>
      change(db, scope, campaignId, async (tx, row) => {
        const next = await begin(tx, scope, row)
        if (row.status !== 'PAUSED') throw wrongStatus(row)
        return next
      }),

    /** Ends it: who waits is skipped. */
    cancel: (db: Db, scope: Scope, campaignId: string) =>
      change(db, scope, campaignId, async (tx, row) => {
        if (!OPEN.includes(row.status)) throw wrongStatus(row)
        await skipPending(tx, row.id, row.passedPosition)
        return { status: 'CANCELED', pause: null, finishedAt: now(), dueAt: 'never' }
      }),

    /** Keeps the files of campaigns that are not over. */
    async sweep(db: Db): Promise<void> {
      for (const { projectId, mode, mediaId } of await findFiles(db)) {
        await media.hold(db, { projectId, mode, keyId: null }, mediaId, false)
      }
    },

    /** Lists the recipients in order, each with its result and message. */
    async recipients(db: Db, scope: Scope, campaignId: string, query: ListRecipientsQuery) {
      const { limit, offset, status } = query
      const statuses =
        status === undefined ? null : status === 'pending' ? ['pending', 'queued'] : [status]
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listRecipients(db, scope, campaignId, statuses, page)
      if (rows.length === 0) await getOrThrow(findCampaign, db, scope, campaignId)
      const ids = rows.flatMap(({ messageId }) => messageId ?? [])
      const records = await messages.getByIds(db, scope, ids)
      const items = rows.map((row): Recipient => ({
        to: row.typed,
        variables: row.variables,
        clientReference: row.clientReference,
        status: (row.status === 'queued' ? 'pending' : row.status) as Recipient['status'],
        reason: row.reason,
        message: (row.messageId && records.get(row.messageId)) || null,
      }))
      return toPage(items, limit, offset)
    },
  }
}

function wrongStatus({ status }: CampaignRow) {
  return fail('conflict', (say) => say.campaigns.wrongStatus(status))
}

function* toLines(recipients: RecipientInput[]): Generator<CsvLine> {
  for (const [index, { to, variables = {}, clientReference = null }] of recipients.entries()) {
    yield { line: index + 1, to, variables, clientReference }
  }
}
