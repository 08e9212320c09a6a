import type { Db } from '../platform/db/sql.ts'
import type { CampaignRow } from './campaigns.sql.ts'

/** Updates the given columns of a draft whose row the caller has locked. */
export async function updateDraft(
  db: Db,
  campaignId: string,
  change: Partial<
    Pick<CampaignRow, 'name' | 'instanceIds' | 'message' | 'mediaId' | 'pacing' | 'scheduledAt'>
  >,
): Promise<void> {
  const { sql } = db
  const { name, instanceIds, message, mediaId, pacing, scheduledAt } = change
  await db.system`
    update campaign set id = id
      ${name === undefined ? sql`` : sql`, name = ${name}`}
      ${instanceIds === undefined ? sql`` : sql`, instance_ids = ${instanceIds}::text[]`}
      ${message === undefined ? sql`` : sql`, message = ${sql.json(message)}`}
      ${mediaId === undefined ? sql`` : sql`, media_id = ${mediaId}`}
      ${pacing === undefined ? sql`` : sql`, pacing = ${pacing && sql.json(pacing)}::jsonb`}
      ${scheduledAt === undefined ? sql`` : sql`, scheduled_at = ${scheduledAt}::timestamptz`}
    where id = ${campaignId} and status = 'DRAFT'`
}
