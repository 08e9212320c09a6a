import type { Db } from '../db/sql.ts'

/** Where a page ended: the next begins behind it. */
export type Mark = { at: Date; seq: number }
export type Line = { type: string; data: object }

const PAGE = 500

/** What is few: the account with its people, keys, webhooks, instances, books and log, without any secret. */
export async function readBasics(db: Db, accountId: string): Promise<Line[]> {
  return db.sql<Line[]>`
    with mine as (select id from project where account_id = ${accountId}),
    instances as (select id from instance where project_id in (select id from mine))
    select 'account' as type, to_jsonb(t) as data from account t where id = ${accountId}
    union all
    select 'user', to_jsonb(t) - 'password_hash' - 'totp_sealed' - 'totp_step' from app_user t
      where account_id = ${accountId} and removed_at is null
    union all select 'invitation', to_jsonb(t) - 'hash' from invitation t where account_id = ${accountId}
    union all select 'project', to_jsonb(t) from project t where account_id = ${accountId}
    union all select 'balance', to_jsonb(t) from balance t where project_id in (select id from mine)
    union all select 'key', to_jsonb(t) - 'secret_hash' from api_key t
      where project_id in (select id from mine)
    union all select 'webhook', to_jsonb(t) - 'secret_sealed' from webhook t
      where project_id in (select id from mine)
    union all select 'instance', to_jsonb(t) - 'qr_code' - 'settings' from instance t
      where project_id in (select id from mine)
    union all select 'label', to_jsonb(t) from label t where instance_id in (select id from instances)
    union all select 'usage', to_jsonb(t) from usage_day t where project_id in (select id from mine)
    union all select 'campaign', to_jsonb(t) from campaign t where project_id in (select id from mine)
    union all select 'opt_out', to_jsonb(t) from opt_out t where project_id in (select id from mine)
    union all select 'audit', to_jsonb(t) from audit t
      where object = ${accountId} or object in (select id from mine)
        or actor in (select id from app_user where account_id = ${accountId})`
}

export async function listInstanceIds(db: Db, accountId: string): Promise<string[]> {
  const rows = await db.sql<{ id: string }[]>`
    select i.id from instance i join project p on p.id = i.project_id
    where p.account_id = ${accountId} order by i.id`
  return rows.map(({ id }) => id)
}

/** A page of an instance's messages, the oldest first, each with what became of it. */
export async function readMessages(
  db: Db,
  instanceId: string,
  after: Mark,
): Promise<{ rows: object[]; next: Mark | null }> {
  const rows = await db.sql<{ data: object; at: Date; seq: number }[]>`
    select m.created_at as at, m.seq, to_jsonb(m) - 'words' - 'due_at' - 'options' - 'attempts'
      || jsonb_build_object('events', (select jsonb_agg(jsonb_build_object('status', h.status, 'at', h.at)
        order by h.seq) from message_history h where h.message_id = m.id)) as data
    from message m
    where m.instance_id = ${instanceId} and (m.created_at, m.seq) > (${after.at}, ${after.seq}::bigint)
    order by m.created_at, m.seq limit ${PAGE}`
  const last = rows.length === PAGE ? rows.at(-1) : undefined
  return { rows: rows.map(({ data }) => data), next: last ? { at: last.at, seq: last.seq } : null }
}

type Page = { rows: object[]; next: string | null }
const pageOf = (rows: { data: object; key: string }[]): Page => ({
  rows: rows.map(({ data }) => data),
  next: rows.length === PAGE ? (rows.at(-1)?.key ?? null) : null,
})

/** A page of an instance's contacts. */
export async function readContacts(db: Db, instanceId: string, after: string): Promise<Page> {
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select id::text as key, to_jsonb(t) - 'found_by' as data from contact t
      where instance_id = ${instanceId} and id > ${after === '' ? '0' : after}::bigint
      order by id limit ${PAGE}`,
  )
}

/** A page of an instance's conversations. */
export async function readConversations(db: Db, instanceId: string, after: string): Promise<Page> {
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select chat_id as key, to_jsonb(t) - 'found_by' || jsonb_build_object('labels',
        (select jsonb_agg(label_id) from label_conversation l where l.conversation_id = t.id)) as data
      from conversation t where instance_id = ${instanceId} and chat_id > ${after}
      order by chat_id limit ${PAGE}`,
  )
}

/** A page of an instance's groups, with who is in them. */
export async function readGroups(db: Db, instanceId: string, after: string): Promise<Page> {
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select id as key, to_jsonb(t) || jsonb_build_object('participants',
        (select jsonb_agg(to_jsonb(p) - 'instance_id' - 'group_id' - 'key') from group_participant p
          where p.instance_id = t.instance_id and p.group_id = t.id)) as data
      from chat_group t where instance_id = ${instanceId} and id > ${after}
      order by id limit ${PAGE}`,
  )
}

/** A page of an instance's calls. */
export async function readCalls(db: Db, instanceId: string, after: string): Promise<Page> {
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select id as key, to_jsonb(t) as data from call_log t
      where instance_id = ${instanceId} and id > ${after} order by id limit ${PAGE}`,
  )
}

/** A page of the recipients of an account's campaigns. */
export async function readRecipients(db: Db, accountId: string, after: string): Promise<Page> {
  const [campaign = '', position = '0'] = after.split(' ')
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select r.campaign_id || ' ' || r.position as key, to_jsonb(r) as data
      from campaign_recipient r join campaign c on c.id = r.campaign_id
        join project p on p.id = c.project_id
      where p.account_id = ${accountId} and (r.campaign_id, r.position) > (${campaign}, ${position}::int)
      order by r.campaign_id, r.position limit ${PAGE}`,
  )
}

/** A page of what was booked for an account. */
export async function readLedger(db: Db, accountId: string, after: string): Promise<Page> {
  const [project = '', id = '0'] = after.split(' ')
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select l.project_id || ' ' || l.id as key, to_jsonb(l) as data
      from ledger l join project p on p.id = l.project_id
      where p.account_id = ${accountId} and (l.project_id, l.id) > (${project}, ${id}::bigint)
      order by l.project_id, l.id limit ${PAGE}`,
  )
}

/** A page of an account's files: what is known of them. */
export async function readFiles(db: Db, accountId: string, after: string): Promise<Page> {
  return pageOf(
    await db.sql<{ data: object; key: string }[]>`
      select f.id as key, to_jsonb(f) - 'source' - 'due_at' - 'attempts' as data
      from media f join project p on p.id = f.project_id
      where p.account_id = ${accountId} and f.id > ${after} order by f.id limit ${PAGE}`,
  )
}
