import type { AuditService } from '../company/audit/audit.service.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { BusTopics } from '../platform/bus/bus.port.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { toPage } from '../kernel/schemas.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Finisher } from '../kernel/finisher.ts'
import type { Caller } from '../kernel/principal.ts'
import { createFairSemaphore } from '../kernel/fair-semaphore.ts'
import type { DeferredFiles } from '../media/deferred-files.service.ts'
import type { MediaService } from '../media/media.service.ts'
import type { MessagesService } from '../messaging/messages/messages.service.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import type { AudiencesService } from './audiences.service.ts'
import { type Campaign, type CampaignStatus, OPEN_STATUSES } from './campaigns.schemas.ts'
import type {
  AddRecipientsBody,
  ListRecipientsQuery,
  Recipient,
  RecipientImport,
  RecipientInput,
} from './recipients.schemas.ts'
import {
  countOpen,
  findCampaign,
  findFiles,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  updateCampaign,
  type CampaignChange,
  type CampaignRow,
} from './campaigns.sql.ts'
import { updateDraft } from './drafts.sql.ts'
import { importRecipients, toLines } from './import-recipients.ts'
import { createStartCheck } from './prepare-start.ts'
import { createPreparer, type Draft, type DraftChange } from './prepare-campaign.ts'
import { readCsv, type CsvLine } from './read-csv.ts'
import { listRecipients, MAX_SKIPPED, skipPending } from './recipients.sql.ts'
import { wrongStatus } from './refusals.ts'
import { renderCampaign } from './render-campaign.ts'

const MAX_OPEN_CAMPAIGNS = 1000
const IMPORT_CONCURRENCY = 2
const MAX_WAITING_IMPORTS = 500
/** CSV files on the disk, in total and of one Project: those that are received, and those that wait to be imported. */
const MAX_FILES = 32
const MAX_PROJECT_FILES = 4
const IMPORT_WAIT_MS = 60_000

/** Who changes a campaign, for the audit log, and in which Project and mode. */
type Author = { scope: Scope; by: Caller }

/** Manages campaigns; see `createCampaignsService`. */
export type CampaignsService = ReturnType<typeof createCampaignsService>

/** Creates the service that manages campaigns; `campaigns.worker` sends their messages (G42). */
export function createCampaignsService(deps: {
  clock: Clock
  audit: AuditService
  billing: BillingService
  files: DeferredFiles
  media: MediaService
  messages: MessagesService
  audiences: Pick<AudiencesService, 'lines'>
  projects: Pick<ProjectsService, 'numberCompleter'>
  publish: BusTopics['publish']
  /** The root database, for what continues after a transaction. */
  db: Db
  cancels: Finisher<Db>
}) {
  const { clock, audit, billing, media, messages, audiences, projects, publish } = deps
  const { cancels, db: root } = deps
  const now = () => new Date(clock.now())
  const prepareStart = createStartCheck({ clock, billing })

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

  /** Changes a campaign while its row is locked, records who did what, and returns it. */
  function change(
    db: Db,
    { scope, by, action }: Author & { action: string },
    campaignId: string,
    work: (tx: Db, row: CampaignRow) => Promise<CampaignChange>,
  ): Promise<Campaign> {
    return db.transaction(async (tx) => {
      const row = await getOrThrow(lockCampaign, tx, scope, campaignId)
      await updateCampaign(tx, row.id, await work(tx, row), now())
      const changed = await get(tx, scope, row.id)
      const after = { name: changed.name, recipients: row.counts.pending + row.counts.queued }
      const before = changed.name === row.name ? null : { name: row.name }
      await audit.recordAction(tx, scope, by, `campaign.${action}`, row.id, { before, after })
      tx.afterCommit(() => publish('campaigns', { campaignId: row.id }))
      return changed
    })
  }

  /** Adds recipients to a locked campaign. Throws 409 if the campaign has ended. */
  async function add(
    tx: Db,
    scope: Scope,
    row: CampaignRow,
    lines: Iterable<CsvLine> | AsyncIterable<CsvLine>,
  ): Promise<RecipientImport> {
    if (!OPEN_STATUSES.includes(row.status)) throw wrongStatus(row)
    const complete = await projects.numberCompleter(tx, scope.projectId)
    const { report, lastPosition } = await importRecipients(tx, scope, row, complete, lines)
    // From now on, every message of a campaign with recipients added through an API key costs credits.
    const paid = scope.keyId ? { charged: true } : {}
    await updateCampaign(tx, row.id, { lastPosition, ...paid }, now())
    tx.afterCommit(() => publish('campaigns', { campaignId: row.id }))
    return report
  }

  type Lines = Parameters<typeof add>[3]
  const addTo = (db: Db, scope: Scope, id: string, lines: Lines) =>
    db.transaction(async (tx) =>
      add(tx, scope, await getOrThrow(lockCampaign, tx, scope, id), lines),
    )

  return {
    prepare: createPreparer(deps),

    /**
     * Changes a draft. Throws 409 in another status, and for a new message once there are recipients, who were checked
     * against the old one.
     */
    patch: (db: Db, author: Author, campaignId: string, draft: DraftChange): Promise<Campaign> =>
      change(db, { ...author, action: 'update' }, campaignId, async (tx, row) => {
        if (row.status !== 'DRAFT') throw wrongStatus(row)
        if (draft.message && row.lastPosition > 0) {
          throw fail('conflict', (say) => say.campaigns.messageFixed)
        }
        await updateDraft(tx, row.id, draft)
        return {}
      }),

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

    /** Creates a draft from a prepared campaign, with its first recipients. */
    create: (
      db: Db,
      { scope, by }: Author,
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
        const after = { name: row.name, recipients: report?.added ?? 0 }
        await audit.recordAction(tx, scope, by, 'campaign.create', row.id, { before: null, after })
        return get(tx, scope, draft.id, report)
      }),

    /** Limits the CSV files that are received and wait for their import. */
    limitFiles: createFairSemaphore({
      clock,
      max: MAX_FILES,
      maxPerKey: MAX_PROJECT_FILES,
      maxWaiting: MAX_WAITING_IMPORTS,
      timeoutMs: IMPORT_WAIT_MS,
    }),

    /** Limits concurrent imports. They queue here, before they hold a lock or a connection. */
    limitImports: createFairSemaphore({
      clock,
      max: IMPORT_CONCURRENCY,
      maxPerKey: IMPORT_CONCURRENCY - 1,
      maxWaiting: MAX_WAITING_IMPORTS,
      timeoutMs: IMPORT_WAIT_MS,
    }),

    /**
     * Adds a list of recipients, or the people of an audience, to a campaign that has not ended. Throws 400 unless it is
     * exactly one of the two, 404, and 413 for too many people.
     */
    addRecipients: (db: Db, scope: Scope, campaignId: string, source: AddRecipientsBody) =>
      db.transaction((tx) => {
        const { recipients, audience } = source
        if (recipients && !audience) return addTo(tx, scope, campaignId, toLines(recipients))
        if (audience && !recipients)
          return addTo(tx, scope, campaignId, audiences.lines(tx, scope, audience))
        throw fail('bad_request', (say) => say.campaigns.oneSource)
      }),

    /** Adds the recipients of a CSV file on disk. Throws 400 for invalid CSV, 413 for too many lines. */
    addFile: (db: Db, scope: Scope, campaignId: string, path: string) =>
      addTo(db, scope, campaignId, readCsv(path)),

    /**
     * Starts a draft, now or at its scheduled time. Throws 402, or 409 without recipients, without
     * a connected instance or in another status.
     */
    start: (db: Db, author: Author, campaignId: string) =>
      change(db, { ...author, action: 'start' }, campaignId, (tx, row) =>
        prepareStart(tx, author.scope, row, 'DRAFT'),
      ),

    /** Stops before the next recipient; messages that are already queued are still sent. */
    pause: (db: Db, author: Author, campaignId: string) =>
      change(db, { ...author, action: 'pause' }, campaignId, async (_, row) => {
        const waits = row.status === 'PAUSED' && row.pause?.willResume
        if (row.status !== 'RUNNING' && row.status !== 'SCHEDULED' && !waits) throw wrongStatus(row)
        const pause = { reason: 'USER' as const, at: now().toISOString(), willResume: false }
        return { status: 'PAUSED', pause, dueAt: 'never' }
      }),

    /** Resumes at the exact recipient, with the same checks as a start. */
    resume: (db: Db, author: Author, campaignId: string) =>
      change(db, { ...author, action: 'resume' }, campaignId, (tx, row) =>
        prepareStart(tx, author.scope, row, 'PAUSED'),
      ),

    /** Cancels a campaign and skips its pending recipients; those of a very long one are skipped in steps. */
    cancel: (db: Db, author: Author, campaignId: string) =>
      change(db, { ...author, action: 'cancel' }, campaignId, async (tx, row) => {
        if (!OPEN_STATUSES.includes(row.status)) throw wrongStatus(row)
        const skipped = await skipPending(tx, row.id, row.passedPosition)
        if (skipped === MAX_SKIPPED) tx.afterCommit(() => cancels.start(root))
        return { status: 'CANCELED', pause: null, finishedAt: now(), dueAt: 'never' }
      }),

    /** Extends the retention of the files of campaigns that have not ended, and finishes cancellations. */
    async sweep(db: Db): Promise<void> {
      for (const { projectId, mode, mediaId } of await findFiles(db))
        await media.hold(db, { projectId, mode, keyId: null }, mediaId, false)
      await cancels.sweep(db)
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
