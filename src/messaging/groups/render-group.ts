import type { Party } from '../../model/records.schemas.ts'
import type { Group } from './groups.schemas.ts'
import type { GroupRow } from './groups.sql.ts'

/** Returns the owner of a group, or null if the network names none. */
export function ownerOf({
  ownerPhone: phone,
  ownerLid: lid,
  ownerName: name,
}: GroupRow): Party | null {
  return phone || lid ? { phone, lid, name } : null
}

/** Renders a group for the API. */
export function renderGroup(row: GroupRow): Group {
  const { id, conversationId, subject, description, participants, settings, community } = row
  return {
    id,
    conversationId: conversationId ?? '',
    subject,
    description,
    owner: ownerOf(row),
    participants,
    settings,
    community,
    createdAt: row.createdAt.toISOString(),
  }
}
