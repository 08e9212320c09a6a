import { say } from '../kernel/phrases/phrases.ts'
import type { Campaign } from './campaigns.schemas.ts'
import type { RecipientImport } from './recipients.schemas.ts'
import type { CampaignRow, Counts } from './campaigns.sql.ts'

/** The price of a message of this campaign, in credits. */
export const priceOf = ({ charged, mode }: Pick<CampaignRow, 'charged' | 'mode'>): 0 | 1 =>
  charged && mode === 'production' ? 1 : 0

/** Counts the recipients whose message was sent or has failed. */
export const resultsOf = (counts: Counts) =>
  counts.sent + counts.delivered + counts.read + counts.replied + counts.failed

/** Renders a campaign for the API (G42). */
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
