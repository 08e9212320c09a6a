import { OPERATOR, OPERATOR_PREFIX } from '../../kernel/principal.ts'
import type { Db } from '../../platform/db/sql.ts'

/** The position of the last message of a page; the next page starts after it. */
export type Mark = { at: Date; seq: number }
/** A line of the export. */
export type Line = { type: string; data: object }
/** The rows of a page and the cursor for the next one; null after the last. */
export type Page = { rows: object[]; next: string | null }

const PAGE = 500

/** Reads the small tables: the account with its users, keys, webhooks and instances, without secrets. */
export async function readBasics(db: Db, accountId: string): Promise<Line[]> {
  return db.system<Line[]>`
    with mine as (select id from project where account_id = ${accountId})
    select 'account' as type, to_jsonb(t) - 'erase_at' as data from account t where id = ${accountId}
    union all
    select 'user', to_jsonb(t) - 'password_hash' - 'totp_sealed' - 'totp_step' from app_user t
      where account_id = ${accountId} and removed_at is null
    union all select 'session', to_jsonb(t) from session t
      where user_id in (select id from app_user where account_id = ${accountId} and removed_at is null)
    union all select 'alert_setting', to_jsonb(t) from alert_setting t
      where user_id in (select id from app_user where account_id = ${accountId} and removed_at is null)
    union all select 'saved_view', to_jsonb(t) from saved_view t
      where user_id in (select id from app_user where account_id = ${accountId} and removed_at is null)
    union all select 'invitation', to_jsonb(t) - 'hash' from invitation t where account_id = ${accountId}
    union all select 'project', to_jsonb(t) from project t where account_id = ${accountId}
    union all select 'balance', to_jsonb(t) from balance t where project_id in (select id from mine)
    union all select 'payment_customer', to_jsonb(t) - 'asked' - 'applied' from payment_customer t
      where project_id in (select id from mine)
    union all select 'key', to_jsonb(t) - 'secret_hash' from api_key t
      where project_id in (select id from mine)
    union all select 'webhook', to_jsonb(t) - array['secret_sealed', 'headers_sealed', 'previous_secret_sealed'] from webhook t
      where project_id in (select id from mine)
    union all select 'instance', to_jsonb(t) - 'qr_code' - 'owner_node' - 'owner_epoch'
        || jsonb_build_object('settings', settings - 'proxyUrlSealed')
      from instance t where project_id in (select id from mine)
    union all select 'inbox', to_jsonb(t) from inbox t where project_id in (select id from mine)
    union all select 'virtual_phone', to_jsonb(t) from simulator_phone t
      where project_id in (select id from mine)`
}

/** Lists the Projects, instances and campaigns of an account. */
export async function listPlaces(
  db: Db,
  accountId: string,
): Promise<{ projectIds: string[]; instanceIds: string[]; campaignIds: string[] }> {
  const [row] = await db.system<
    { projectIds: string[]; instanceIds: string[]; campaignIds: string[] }[]
  >`
    with mine as (select id from project where account_id = ${accountId})
    select array(select id from mine order by id) as project_ids,
      array(select id from instance where project_id in (select id from mine) order by id) as instance_ids,
      array(select id from campaign where project_id in (select id from mine) order by id) as campaign_ids`
  return row ?? { projectIds: [], instanceIds: [], campaignIds: [] }
}

/** Reads a page of the messages of an instance, oldest first, with their status history and votes. */
export async function readMessages(
  db: Db,
  instanceId: string,
  after: Mark,
): Promise<{ rows: object[]; next: Mark | null }> {
  const rows = await db.system<{ data: object; at: Date; seq: number }[]>`
    select m.created_at as at, m.seq, to_jsonb(m) - 'words' - 'options' - 'attempts'
      || jsonb_build_object(
        'events', (select jsonb_agg(jsonb_build_object('status', h.status, 'at', h.at) order by h.seq)
          from message_history h where h.message_id = m.id),
        'votes', (select jsonb_agg(jsonb_build_object('voter', v.voter, 'options', v.options))
          from poll_vote v where v.poll_message_id = m.id)) as data
    from message m
    where m.instance_id = ${instanceId} and (m.created_at, m.seq) > (${after.at}, ${after.seq}::bigint)
    order by m.created_at, m.seq limit ${PAGE}`
  const last = rows.length === PAGE ? rows.at(-1) : undefined
  return { rows: rows.map(({ data }) => data), next: last ? { at: last.at, seq: last.seq } : null }
}

type Keyed = { data: object; key: string }
const pageOf = (rows: Keyed[]): Page => ({
  rows: rows.map(({ data }) => data),
  next: rows.length === PAGE ? (rows.at(-1)?.key ?? null) : null,
})
/** Splits a two-part key; for an empty one, returns parts that sort before all keys. */
const split = (after: string, empty: string): [string, string] => {
  const at = after.lastIndexOf(' ')
  return at < 0 ? ['', empty] : [after.slice(0, at), after.slice(at + 1)]
}

type Read = (db: Db, id: string, after: string) => Promise<Page>

/** Readers of the data of an instance, by record type. */
export const OF_INSTANCE: Record<string, Read> = {
  contact: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select t.id::text as key, to_jsonb(t) - 'search_text' as data from contact t
        where t.instance_id = ${id} and t.id > ${after === '' ? '0' : after}::bigint
        order by t.id limit ${PAGE}`,
    ),
  conversation: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select chat_id as key, to_jsonb(t) - 'search_text' || jsonb_build_object('labels',
          (select jsonb_agg(label_id) from label_conversation l where l.conversation_id = t.id)) as data
        from conversation t where instance_id = ${id} and chat_id > ${after}
        order by chat_id limit ${PAGE}`,
    ),
  group: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id as key, to_jsonb(t) || jsonb_build_object('participants',
          (select jsonb_agg(to_jsonb(p) - 'instance_id' - 'group_id' - 'key') from group_participant p
            where p.instance_id = t.instance_id and p.group_id = t.id)) as data
        from chat_group t where instance_id = ${id} and id > ${after} order by id limit ${PAGE}`,
    ),
  note: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id as key, to_jsonb(t) || jsonb_build_object('mentions',
          (select jsonb_agg(user_id) from note_mention m where m.note_id = t.id)) as data
        from conversation_note t
        where instance_id = ${id} and id > ${after} order by id limit ${PAGE}`,
    ),
  label: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select network_id as key, to_jsonb(t) as data from label t
        where instance_id = ${id} and network_id > ${after} order by network_id limit ${PAGE}`,
    ),
  call: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id as key, to_jsonb(t) as data from call_log t
        where instance_id = ${id} and id > ${after} order by id limit ${PAGE}`,
    ),
  event: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select kind || ' ' || id as key, body::jsonb as data from event_history t
        where instance_id = ${id} and (kind, id) > (${split(after, '')[0]}, ${split(after, '')[1]})
        order by kind, id limit ${PAGE}`,
    ),
  transition: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id::text as key, to_jsonb(t) as data from instance_transition t
        where instance_id = ${id} and id > ${after === '' ? '0' : after}::bigint
        order by id limit ${PAGE}`,
    ),
}

/** Readers of the data of a Project, by record type. */
export const OF_PROJECT: Record<string, Read> = {
  campaign: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select mode || ' ' || id as key, to_jsonb(t) as data from campaign t
        where project_id = ${id} and (mode, id) > (${split(after, '')[0]}, ${split(after, '')[1]})
        order by mode, id limit ${PAGE}`,
    ),
  scheduled_message: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id as key, to_jsonb(t) - 'due_at' as data from scheduled_message t
        where project_id = ${id} and id > ${after} order by id limit ${PAGE}`,
    ),
  file: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id as key, to_jsonb(t) - 'source' - 'due_at' - 'attempts' as data from media t
        where project_id = ${id} and id > ${after} order by id limit ${PAGE}`,
    ),
  quick_reply: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select mode || ' ' || shortcut as key, to_jsonb(t) as data from quick_reply t
        where project_id = ${id} and (mode, shortcut) > (${split(after, '')[0]}, ${split(after, '')[1]})
        order by mode, shortcut limit ${PAGE}`,
    ),
  opt_out: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select mode || ' ' || person as key, to_jsonb(t) as data from opt_out t
        where project_id = ${id} and (mode, person) > (${split(after, '')[0]}, ${split(after, '')[1]})
        order by mode, person limit ${PAGE}`,
    ),
  number: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select mode || ' ' || input as key, to_jsonb(t) as data from number_check t
        where project_id = ${id} and (mode, input) > (${split(after, '')[0]}, ${split(after, '')[1]})
        order by mode, input limit ${PAGE}`,
    ),
  credit: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select id::text as key, to_jsonb(t) as data from ledger t
        where project_id = ${id} and id > ${after === '' ? '0' : after}::bigint
        order by project_id, id limit ${PAGE}`,
    ),
  usage: async (db, id, after) =>
    pageOf(
      await db.system<Keyed[]>`
        select concat_ws(' ', mode, day, instance_id, key_id) as key, to_jsonb(t) as data
        from usage_day t
        where project_id = ${id} and (mode, day, instance_id, key_id) > (
          coalesce(split_part(${after}, ' ', 1), ''),
          coalesce(nullif(split_part(${after}, ' ', 2), ''), '-infinity')::date,
          split_part(${after}, ' ', 3), split_part(${after}, ' ', 4))
        order by mode, day, instance_id, key_id limit ${PAGE}`,
    ),
}

/** Reads a page of the recipients of a campaign. */
export const readRecipients: Read = async (db, id, after) =>
  pageOf(
    await db.system<Keyed[]>`
      select position::text as key, to_jsonb(t) as data from campaign_recipient t
      where campaign_id = ${id} and position > ${after === '' ? '0' : after}::int
      order by position limit ${PAGE}`,
  )

/** Reads a page of the audit log of an account, oldest first. */
export const readAudit: Read = async (db, accountId, after) =>
  pageOf(
    await db.system<Keyed[]>`
      with concerned as (select id from account_object where account_id = ${accountId}),
      found as (
        select a.* from concerned c join audit a on a.object = c.id
        union
        select a.* from concerned c join audit a on a.actor = c.id)
      select id::text as key, case when starts_with(t.actor, ${OPERATOR_PREFIX})
        then to_jsonb(t) || ${db.sql.json(OPERATOR)} else to_jsonb(t) end as data
      from found t
      where id > ${after === '' ? '0' : after}::bigint order by id limit ${PAGE}`,
  )
