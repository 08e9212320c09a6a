import type { Db, Scope } from '../platform/db/sql.ts'
import { scopedTo } from '../platform/db/sql.ts'

/** A person of an audience; `id` is that of their contact, or of their conversation if the audience has a label. */
export type AudienceRow = {
  id: string
  phone: string | null
  lid: string | null
  name: string | null
  fields: Record<string, string>
}

/** The contacts of an instance, or the people whose conversation has a label: they need not be contacts yet. */
export type AudienceOf = { instanceId: string; labelId: string | null }

/** Selects the members of an audience after the cursor `after`, by id. */
function people(db: Db, scope: Scope, of: AudienceOf, after: string | null, now: Date) {
  const { instanceId, labelId } = of
  if (labelId === null) {
    return db.sql`
      select id::text, phone, lid, coalesce(custom_name, name) as name, fields
      from contact
      where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and id > ${after ?? '0'}::bigint
      order by contact.id`
  }
  return db.sql`
    select v.id, v.phone, v.lid, coalesce(k.custom_name, k.name, v.name) as name, coalesce(k.fields, '{}') as fields
    from conversation v
      left join lateral (
        select name, custom_name, fields from contact
        where instance_id = v.instance_id and (phone = v.phone or lid = v.lid)
        order by phone = v.phone desc nulls last limit 1) k on true
    where ${scopedTo(db, scope, now, 'v')} and v.instance_id = ${instanceId}
      and v.chat_type = 'direct' and v.merged_into is null and v.id > ${after ?? ''}
      and v.id in (select conversation_id from label_conversation where label_id = ${labelId})
    order by v.id`
}

/** Returns how many people an audience has, and the names of their fields in alphabetical order. */
export async function countAudience(
  db: Db,
  scope: Scope,
  of: AudienceOf,
  page: { maxFields: number; now: Date },
): Promise<{ total: number; fields: string[] }> {
  const [row] = await db.scoped<{ total: number; fields: string[] }[]>`
    with people as materialized (${people(db, scope, of, null, page.now)})
    select (select count(*)::int from people) as total,
      array(select distinct jsonb_object_keys(fields) from people order by 1 limit ${page.maxFields}) as fields`
  return row ?? { total: 0, fields: [] }
}

/** Returns the next people of an audience after one of them, or its first ones. */
export async function readAudience(
  db: Db,
  scope: Scope,
  of: AudienceOf,
  page: { after: string | null; limit: number; now: Date },
): Promise<AudienceRow[]> {
  return db.scoped<AudienceRow[]>`
    ${people(db, scope, of, page.after, page.now)} limit ${page.limit}`
}
