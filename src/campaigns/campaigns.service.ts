import { insufficientCredits, type BillingService } from '../billing/billing.service.ts'
import type { BusTopics } from '../bus/bus.port.ts'
import type { Db, Scope } from '../db/sql.ts'
import { pageOf } from '../http/answers.ts'
import type { Clock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import type { MediaService } from '../media/media.service.ts'
import type { MessagesService } from '../messages/messages.service.ts'
import { fail } from '../phrases/fail.ts'
import type { AnyKind } from '../records/kinds/index.ts'
import type { MediaInput } from '../records/media-fields.ts'
import type {
  Campaign,
  CampaignStatus,
  CreateCampaignBody,
  Pacing,
  PacingInput,
} from './campaigns.schemas.ts'
import type {
  ListRecipientsQuery,
  Recipient,
  RecipientImport,
  RecipientInput,
} from './recipients.schemas.ts'
import {
  findCampaign,
  findInstances,
  insertCampaign,
  listCampaigns,
  lockCampaign,
  updateCampaign,
  type CampaignChange,
  type CampaignRow,
  type Template,
} from './campaigns.sql.ts'
import { variablesOf } from './fill-template.ts'
import { importRecipients } from './import-recipients.ts'
import { readCsv, type CsvLine } from './read-csv.ts'
import { readMessage, readTemplate } from './read-message.ts'
import { listRecipients, skipPending } from './recipients.sql.ts'
import { priceOf, renderCampaign, resultsOf } from './render-campaign.ts'
import { isTimeZone, SAO_PAULO } from './sending-window.ts'

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const OPEN: CampaignStatus[] = ['DRAFT', 'SCHEDULED', 'RUNNING', 'PAUSED']

export type CampaignsService = ReturnType<typeof createCampaignsService>

/** Mass sending: made, filled, started and stopped here; `campaigns.worker` sends. Source: contract §2.4. */
export function createCampaignsService(deps: {
  clock: Clock
  billing: BillingService
  media: MediaService
  messages: MessagesService
  publish: BusTopics['publish']
}) {
  const { clock, billing, media, messages, publish } = deps
  const now = () => new Date(clock.now())

  async function require(
    find: typeof findCampaign,
    db: Db,
    scope: Scope,
    campaignId: string,
  ): Promise<CampaignRow> {
    const row = await find(db, scope, campaignId, now())
    if (!row) throw fail('not_found', (say) => say.campaigns.notFound)
    return row
  }

  async function show(
    db: Db,
    scope: Scope,
    campaignId: string,
    imported: RecipientImport | null = null,
  ): Promise<Campaign> {
    return renderCampaign(await require(findCampaign, db, scope, campaignId), imported)
  }

  /** Carries out a change of a campaign that nobody else changes meanwhile, and answers it. */
  function change(
    db: Db,
    scope: Scope,
    campaignId: string,
    work: (tx: Db, row: CampaignRow) => Promise<CampaignChange>,
  ): Promise<Campaign> {
    return db.transaction(async (tx) => {
      const row = await require(lockCampaign, tx, scope, campaignId)
      await updateCampaign(tx, row.id, await work(tx, row), now())
      tx.afterCommit(() => publish('campaigns', row.id))
      return show(tx, scope, row.id)
    })
  }

  /** The file of the message, fetched and judged now: what cannot be sent is no campaign. */
  async function keepFile(
    db: Db,
    scope: Scope,
    kind: AnyKind,
    template: Template,
  ): Promise<{ message: Template; mediaId: string | null }> {
    if (!kind.media) return { message: template, mediaId: null }
    const { media: input = {}, voice = false } = template as Template & {
      media?: MediaInput
      voice?: boolean
    }
    const demand = { rule: kind.media, kind: kind.name, voice }
    const { media: file } = await media.takeNow(db, scope, input, demand)
    return { message: { ...template, media: { mediaId: file.id } } as Template, mediaId: file.id }
  }

  /** What lets a campaign run: rights, somebody to write to, credits for all of them, and an instance. */
  async function begin(tx: Db, scope: Scope, row: CampaignRow): Promise<CampaignChange> {
    await billing.requireSubscription(tx, scope)
    await billing.requireAddon(tx, scope, 'mass_sending')
    const { pending } = row.counts
    if (priceOf(row) * pending > (await billing.credits(tx, row.projectId))) {
      throw insufficientCredits()
    }
    if (pending + row.counts.queued === 0) {
      throw fail('conflict', (say) => say.campaigns.noRecipients)
    }
    const judgedFrom = { results: resultsOf(row.counts), failed: row.counts.failed }
    const rights = scope.keyId ? { keyId: scope.keyId } : row.keyId ? { keyId: null } : {}
    const common = { ...rights, judgedFrom, pause: null }
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
    const { report, lastPosition } = await importRecipients(tx, scope, row, lines)
    await updateCampaign(tx, row.id, { lastPosition }, now())
    tx.afterCommit(() => publish('campaigns', row.id))
    return report
  }

  return {
    show: (db: Db, scope: Scope, campaignId: string) => show(db, scope, campaignId),

    async list(
      db: Db,
      scope: Scope,
      query: { status?: CampaignStatus; limit: number; offset: number },
    ) {
      const { status = null, limit, offset } = query
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listCampaigns(db, scope, status, page)
      return pageOf(
        rows.map((row) => renderCampaign(row, null)),
        limit,
        offset,
      )
    },

    /** A draft. 402 without a subscription or the add-on in production; 404 for an instance that is not there. */
    create: (db: Db, scope: Scope, body: CreateCampaignBody): Promise<Campaign> =>
      db.transaction(async (tx) => {
        const name = body.name.trim()
        if (name === '') throw fail('bad_request', (say) => say.http.tooShort('name', 1))
        const { kind, template } = readTemplate(body.message)
        // One with variables can only be judged with their values.
        if (variablesOf(template).length === 0) readMessage(template, {})
        const pacing = body.pacing ? decidePacing(body.pacing) : null
        const scheduledAt = body.scheduledAt ? readTime(body.scheduledAt) : null
        const instanceIds = [...new Set(body.instanceIds)]
        const found = await findInstances(tx, scope, instanceIds, now())
        if (found.length < instanceIds.length) {
          throw fail('not_found', (say) => say.instances.notFound)
        }
        await billing.requireSubscription(tx, scope)
        await billing.requireAddon(tx, scope, 'mass_sending')
        const { message, mediaId } = await keepFile(tx, scope, kind, template)
        const id = newId('cmp', clock.now())
        const charged = scope.keyId !== null
        const made = { id, charged, name, instanceIds, message, mediaId, pacing, scheduledAt }
        await insertCampaign(tx, scope, made, now())
        const row = await require(lockCampaign, tx, scope, id)
        const report = body.recipients ? await add(tx, scope, row, toLines(body.recipients)) : null
        return show(tx, scope, id, report)
      }),

    /** Adds recipients to a campaign that is not over. */
    addRecipients: (db: Db, scope: Scope, campaignId: string, recipients: RecipientInput[]) =>
      db.transaction(async (tx) =>
        add(tx, scope, await require(lockCampaign, tx, scope, campaignId), toLines(recipients)),
      ),

    /** The same out of a CSV file on disk; 400 when it is none, or has more lines than one may have. */
    addFile: (db: Db, scope: Scope, campaignId: string, path: string) =>
      db.transaction(async (tx) =>
        add(tx, scope, await require(lockCampaign, tx, scope, campaignId), readCsv(path)),
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

    /** Goes on at the exact recipient, judged as at its start. */
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
        await skipPending(tx, row.id, row.passed)
        return { status: 'CANCELED', pause: null, finishedAt: now(), dueAt: 'never' }
      }),

    /** What became of each recipient, in their order, with his message. */
    async recipients(db: Db, scope: Scope, campaignId: string, query: ListRecipientsQuery) {
      const { limit, offset, status } = query
      const statuses =
        status === undefined ? null : status === 'pending' ? ['pending', 'queued'] : [status]
      const page = { limit: limit + 1, offset, now: now() }
      const rows = await listRecipients(db, scope, campaignId, statuses, page)
      if (rows.length === 0) await require(findCampaign, db, scope, campaignId)
      const ids = rows.flatMap(({ messageId }) => messageId ?? [])
      const records = await messages.records(db, scope, ids)
      const items = rows.map((row): Recipient => ({
        to: row.typed,
        variables: row.variables,
        clientReference: row.clientReference,
        status: (row.status === 'queued' ? 'pending' : row.status) as Recipient['status'],
        reason: row.reason,
        message: (row.messageId && records.get(row.messageId)) || null,
      }))
      return pageOf(items, limit, offset)
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

function readTime(text: string): Date {
  const time = Date.parse(text)
  if (Number.isNaN(time)) throw fail('bad_request', (say) => say.http.malformed('scheduledAt'))
  return new Date(time)
}

function decidePacing(input: PacingInput): Pacing {
  const { minDelayMs = 0, dailyLimitPerInstance = null, window = null } = input
  const { maxDelayMs = minDelayMs } = input
  if (maxDelayMs < minDelayMs) {
    throw fail('bad_request', (say) => say.http.tooSmall('pacing.maxDelayMs', minDelayMs))
  }
  const { timeZone = SAO_PAULO, weekdays = EVERY_DAY } = window ?? {}
  if (!isTimeZone(timeZone)) {
    throw fail('bad_request', (say) => say.http.malformed('pacing.window.timeZone'))
  }
  const days = [...new Set(weekdays)].sort((a, b) => a - b)
  const decided = window && { from: window.from, to: window.to, timeZone, weekdays: days }
  return { minDelayMs, maxDelayMs, dailyLimitPerInstance, window: decided }
}
