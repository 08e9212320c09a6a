import type { BillingService } from '../company/billing/billing.service.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { parseTime } from '../kernel/validation.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/ids.ts'
import type { DeferredFiles } from '../media/deferred-files.service.ts'
import { fail } from '../kernel/phrases/fail.ts'
import type { CreateCampaignBody, Pacing, PacingInput } from './campaigns.schemas.ts'
import { findInstances, type insertCampaign } from './campaigns.sql.ts'
import { countPlaceholders, variablesOf } from './fill-template.ts'
import { readMessage, readTemplate } from './read-message.ts'
import { isTimeZone, SAO_PAULO } from '../kernel/day.ts'

/** A validated campaign, ready to insert; its file is already stored. */
export type Draft = Omit<Parameters<typeof insertCampaign>[2], 'charged'>

const EVERY_DAY = [1, 2, 3, 4, 5, 6, 7]
const MAX_PLACEHOLDERS = 50

/**
 * Creates the function that validates a new campaign and stores its file. It runs outside any
 * transaction because a file may take a while. Throws 400, 402 without a subscription or the add-on
 * in production, 404 for an unknown instance.
 */
export function createPreparer(deps: {
  clock: Clock
  billing: BillingService
  files: DeferredFiles
}) {
  const { clock, billing, files } = deps

  return async (db: Db, scope: Scope, body: CreateCampaignBody): Promise<Draft> => {
    const name = body.name.trim()
    if (name === '') throw fail('bad_request', (say) => say.http.tooShort('name', 1))
    const { kind, template } = readTemplate(body.message)
    if (countPlaceholders(template) > MAX_PLACEHOLDERS) {
      throw fail('bad_request', (say) => say.campaigns.tooManyPlaceholders)
    }
    // A message with variables can only be validated with their values.
    if (variablesOf(template).length === 0) readMessage(template, {})
    const pacing = body.pacing ? decidePacing(body.pacing) : null
    const scheduledAt = body.scheduledAt ? parseTime('scheduledAt', body.scheduledAt) : null
    const instanceIds = [...new Set(body.instanceIds)]
    const found = await findInstances(db, scope, instanceIds, new Date(clock.now()))
    if (found.length < instanceIds.length) {
      throw fail('not_found', (say) => say.instances.notFound)
    }
    await billing.requireSubscription(db, scope)
    await billing.requireAddon(db, scope, 'mass_sending')
    const { message, mediaId } = await files.store(db, scope, kind, template)
    const id = newId('cmp', clock.now())
    return { id, name, instanceIds, message, mediaId, pacing, scheduledAt }
  }
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
