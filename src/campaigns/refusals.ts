import { fail, type Failure } from '../kernel/phrases/fail.ts'
import type { PauseReason } from './campaigns.schemas.ts'
import type { CampaignRow } from './campaigns.sql.ts'
import type { SkipReason } from './recipients.schemas.ts'

/** The failure for an action that a campaign's status does not permit. */
export const wrongStatus = ({ status }: Pick<CampaignRow, 'status'>): Failure =>
  fail('conflict', (say) => say.campaigns.wrongStatus(status))

/** Why only this recipient gets no message; null if the refusal concerns the whole campaign. */
export function skipReasonOf({ details }: Failure): SkipReason | null {
  const { reason } = details
  return reason === 'OUTSIDE_WINDOW' || reason === 'NOT_ON_NETWORK' ? reason : null
}

/** Maps a refusal to a pause reason; null if only this instance has become unavailable. */
export function toPauseReason({ kind, details }: Failure): PauseReason | null {
  switch (details.reason) {
    case 'INSTANCE_NOT_CONNECTED':
      return null
    case 'SUBSCRIPTION_REQUIRED':
    case 'INSUFFICIENT_CREDITS':
    case 'DAILY_CAP_REACHED':
    case 'API_NOT_ENABLED':
      return details.reason
    default:
  }
  if (kind === 'unauthorized') return 'KEY_REFUSED'
  if (kind === 'forbidden') return 'PROJECT_INACTIVE'
  if (kind === 'payment_required') return 'PANEL_NOT_ENABLED'
  throw new Error(`unexpected refusal of a campaign message: ${kind}, reason ${details.reason}`)
}
