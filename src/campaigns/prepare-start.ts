import { MASS_SENDING } from '../kernel/addons.ts'
import { insufficientCredits, type BillingService } from '../company/billing/billing.service.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import type { Clock } from '../kernel/clock.ts'
import { fail } from '../kernel/phrases/fail.ts'
import { countOpen, type CampaignChange, type CampaignRow } from './campaigns.sql.ts'
import type { CampaignStatus } from './campaigns.schemas.ts'
import { wrongStatus } from './refusals.ts'
import { priceOf, resultsOf } from './render-campaign.ts'
import { findInstances } from './senders.sql.ts'

const MAX_ACTIVE_CAMPAIGNS = 100

/**
 * Creates the check that a campaign can run (subscription, add-on, status, recipients, credits for all of them, a
 * connected instance), which returns the change that starts it. Throws 402, 409, and 400 with too many campaigns under way.
 */
export function createStartCheck(deps: {
  clock: Clock
  billing: Pick<BillingService, 'requireSubscription' | 'requireAddon' | 'credits'>
}) {
  const { clock, billing } = deps
  const now = () => new Date(clock.now())

  return async function prepareStart(
    tx: Db,
    scope: Scope,
    row: CampaignRow,
    /** The status that the campaign must have. */
    from: CampaignStatus,
  ): Promise<CampaignChange> {
    await billing.requireSubscription(tx, scope)
    await billing.requireAddon(tx, scope, MASS_SENDING)
    if (row.status !== from) throw wrongStatus(row)
    const { pending } = row.counts
    const price = priceOf({ ...row, charged: row.charged || scope.keyId !== null })
    if (price * pending > (await billing.credits(tx, row.projectId))) throw insufficientCredits()
    if (pending + row.counts.queued === 0) {
      // What was queued left during the pause.
      if (from === 'PAUSED')
        return { status: 'COMPLETED', finishedAt: now(), dueAt: 'never', pause: null }
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
}
