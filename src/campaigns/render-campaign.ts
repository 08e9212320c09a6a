import { say } from '../kernel/phrases/phrases.ts'
import type { Campaign } from './campaigns.schemas.ts'
import type { RecipientImport } from './recipients.schemas.ts'
import type { CampaignRow, Counts } from './campaigns.sql.ts'

/** Credits that a message of this campaign takes. */
export const priceOf = ({ charged, mode }: Pick<CampaignRow, 'charged' | 'mode'>): 0 | 1 =>
  charged && mode === 'production' ? 1 : 0

/** The recipients that have an end, or at least a message on the network. */
export const resultsOf = (counts: Counts) =>
  counts.sent + counts.delivered + counts.read + counts.replied + counts.failed

/** A campaign as the API shows it (G42). */
export function renderCampaign(row: CampaignRow, imported: RecipientImport | null): Campaign {
  const { queued, sent, delivered, read, replied, failed, skipped } = row.counts
  const pending = row.counts.pending + queued
  const left = resultsOf(row.counts) + pending
  const total = left + skipped
  const price = priceOf(row)
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    instanceIds: row.instanceIds,
    message: row.message,
    pacing: row.pacing,
    pause: row.pause && { ...row.pause, message: say.campaigns.paused[row.pause.reason] },
    counts: { total, pending, sent, delivered, read, replied, failed, skipped },
    creditsEstimated: price * left,
    creditsUsed: price * (resultsOf(row.counts) - failed + queued),
    import: imported,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    scheduledAt: row.scheduledAt?.toISOString() ?? null,
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}
