import { MASS_SENDING } from '../kernel/addons.ts'
import type { ProjectsService } from '../company/projects/projects.service.ts'
import { completeContacts } from '../model/kinds/contact.ts'
import type { BillingService } from '../company/billing/billing.service.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { parseInstant, requireFuture } from '../kernel/validation.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import { disposableUntilKept, type Prepared } from '../kernel/prepared.ts'
import type { DeferredFiles } from '../media/deferred-files.service.ts'
import { fail, within } from '../kernel/phrases/fail.ts'
import {
  UNSCHEDULED,
  type CreateCampaignBody,
  type Pacing,
  type PacingInput,
  type PatchCampaignBody,
} from './campaigns.schemas.ts'
import { type insertCampaign } from './campaigns.sql.ts'
import { findInstances } from './senders.sql.ts'
import { countPlaceholders, variablesOf } from '../kernel/fill-template.ts'
import { readMessage, readTemplate } from './read-message.ts'
import { isTimeZone } from '../kernel/day.ts'
import { SAO_PAULO } from '../kernel/sao-paulo.ts'

/** A validated campaign, ready to insert; its file is already stored. */
export type Draft = Omit<Parameters<typeof insertCampaign>[2], 'charged'>

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const MAX_PLACEHOLDERS = 50

/** The validated changes of a draft; its new file is already stored. */
export type DraftChange = Partial<Omit<Draft, 'id'>>

/**
 * Creates the functions that validate a new campaign or the changes of a draft, and store its file. They run outside
 * any transaction because a file may take a while. They throw 400, 402 without a subscription or the add-on in
 * production, 404 for an unknown instance.
 */
export function createPreparer(deps: {
  clock: Clock
  billing: BillingService
  files: DeferredFiles
  projects: Pick<ProjectsService, 'numberCompleter'>
}) {
  const { clock, billing, files, projects } = deps

  async function prepareMessage(db: Db, scope: Scope, message: object) {
    const { kind, template: given } = readTemplate(message)
    const complete = await projects.numberCompleter(db, scope.projectId)
    const template = completeContacts(given, complete)
    if (countPlaceholders(template) > MAX_PLACEHOLDERS) {
      throw fail('bad_request', (say) => say.campaigns.tooManyPlaceholders, { field: 'message' })
    }
    // A message with variables can only be validated with their values.
    await within('message', () => {
      if (variablesOf(template).length === 0) readMessage(template, {})
    })
    return () => within('message', () => files.store(db, scope, kind, template))
  }

  async function checkInstances(db: Db, scope: Scope, given: string[]): Promise<string[]> {
    const instanceIds = [...new Set(given)]
    const found = await findInstances(db, scope, instanceIds, new Date(clock.now()))
    if (found.length < instanceIds.length) {
      throw fail('not_found', (say) => say.instances.notFound)
    }
    // The official API and paired phones accept different kinds of messages.
    if (new Set(found.map(({ network }) => network)).size > 1)
      throw fail('bad_request', (say) => say.campaigns.mixedNetworks, { field: 'instanceIds' })
    return instanceIds
  }

  function readStart(text: string): Date {
    const at = parseInstant('scheduledAt', text)
    requireFuture('scheduledAt', at, clock.now())
    return at
  }

  async function requireRights(db: Db, scope: Scope): Promise<void> {
    await billing.requireSubscription(db, scope)
    await billing.requireAddon(db, scope, MASS_SENDING)
  }

  return {
    async create(db: Db, scope: Scope, body: CreateCampaignBody): Promise<Draft & Prepared> {
      const name = readName(body.name)
      const storeMessage = await prepareMessage(db, scope, body.message)
      const pacing = body.pacing ? decidePacing(body.pacing) : null
      const scheduledAt = body.scheduledAt ? readStart(body.scheduledAt) : null
      const instanceIds = await checkInstances(db, scope, body.instanceIds)
      await requireRights(db, scope)
      const { message, mediaId, discard } = await storeMessage()
      const id = newId('cmp', clock.now())
      const draft = { id, name, instanceIds, message, mediaId, pacing, scheduledAt }
      return disposableUntilKept(draft, discard)
    },

    /** Validates only the given fields. */
    async change(db: Db, scope: Scope, body: PatchCampaignBody): Promise<DraftChange> {
      const { name, message, pacing, scheduledAt, instanceIds } = body
      const storeMessage = message && (await prepareMessage(db, scope, message))
      const readTime = (at: string) => (at === UNSCHEDULED ? null : readStart(at))
      const checked: DraftChange = {
        ...(name === undefined ? {} : { name: readName(name) }),
        ...(pacing === undefined ? {} : { pacing: decidePacing(pacing) }),
        ...(scheduledAt === undefined ? {} : { scheduledAt: readTime(scheduledAt) }),
        ...(instanceIds ? { instanceIds: await checkInstances(db, scope, instanceIds) } : {}),
      }
      await requireRights(db, scope)
      if (!storeMessage) return checked
      const { message: stored, mediaId } = await storeMessage()
      return { ...checked, message: stored, mediaId }
    },
  }
}

function readName(given: string): string {
  const name = given.trim()
  if (name === '') {
    throw fail('bad_request', (say) => say.http.tooShort('name', 1), { field: 'name' })
  }
  return name
}

function decidePacing(input: PacingInput): Pacing {
  const { minDelayMs = 0, dailyLimitPerInstance = null, window = null } = input
  const { maxDelayMs = minDelayMs } = input
  if (maxDelayMs < minDelayMs) {
    const field = 'pacing.maxDelayMs'
    throw fail('bad_request', (say) => say.http.tooSmall(field, minDelayMs), { field })
  }
  const { timeZone = SAO_PAULO, weekdays = EVERY_DAY } = window ?? {}
  if (!isTimeZone(timeZone)) {
    const field = 'pacing.window.timeZone'
    throw fail('bad_request', (say) => say.http.malformed(field), { field })
  }
  const days = [...new Set(weekdays)].sort((a, b) => a - b)
  const decided = window && { from: window.from, to: window.to, timeZone, weekdays: days }
  return { minDelayMs, maxDelayMs, dailyLimitPerInstance, window: decided }
}
