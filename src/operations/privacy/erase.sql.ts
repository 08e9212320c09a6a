import type { Db } from '../../platform/db/sql.ts'

/** Returns an account that is due for erasure and that no other node is erasing. */
export async function findDueErasure(db: Db, now: Date): Promise<string | null> {
  const [row] = await db.system<{ id: string }[]>`
    select id from account where erased_at is null and erase_at <= ${now}
    order by erase_at limit 1 for update skip locked`
  return row?.id ?? null
}

/** Locks an account that is still due for erasure; false if another node is erasing it or has done so. */
export async function lockDueErasure(db: Db, accountId: string, now: Date): Promise<boolean> {
  const rows = await db.system`
    select 1 from account where id = ${accountId} and erased_at is null and erase_at <= ${now}
    for update skip locked`
  return rows.length > 0
}

/** Reschedules the erasure. */
export async function postponeErasure(db: Db, accountId: string, until: Date): Promise<void> {
  await db.system`update account set erase_at = ${until} where id = ${accountId}`
}

/** Erases a batch of an account's messages; returns how many. */
export async function eraseMessages(db: Db, accountId: string, most: number): Promise<number> {
  const [row] = await db.system<{ count: number }[]>`
    with chosen as materialized (
      select m.id from instance i join project p on p.id = i.project_id
        cross join lateral (select id from message where instance_id = i.id limit ${most}) m
      where p.account_id = ${accountId} limit ${most}),
    history as (delete from message_history where message_id in (select id from chosen)),
    votes as (delete from poll_vote where poll_message_id in (select id from chosen)),
    gone as (delete from message where id in (select id from chosen) returning id, instance_id, seq),
    unsent as (
      delete from outbox o using gone g where o.instance_id = g.instance_id and o.seq = g.seq)
    select count(*) as count from gone`
  return row?.count ?? 0
}

/** Erases a batch of the recipients of an account's campaigns; returns how many. */
export async function eraseRecipients(db: Db, accountId: string, most: number): Promise<number> {
  const rows = await db.system`
    delete from campaign_recipient where (campaign_id, position) in (
      select r.campaign_id, r.position from campaign c join project p on p.id = c.project_id
        join campaign_recipient r on r.campaign_id = c.id
      where p.account_id = ${accountId} limit ${most}) returning 1`
  return rows.length
}

/** Erases a batch of an account's conversations; returns how many. */
export async function eraseConversations(db: Db, accountId: string, most: number): Promise<number> {
  const rows = await db.system`
    with chosen as materialized (
      select c.id from instance i join project p on p.id = i.project_id
        cross join lateral (select id from conversation where instance_id = i.id limit ${most}) c
      where p.account_id = ${accountId} limit ${most}),
    labels as (delete from label_conversation where conversation_id in (select id from chosen)),
    answers as (delete from response_time where conversation_id in (select id from chosen)),
    behind as (delete from conversation_behind where conversation_id in (select id from chosen)),
    notes as (delete from conversation_note where conversation_id in (select id from chosen)),
    -- Conversations that were merged into a chosen one and are erased later.
    apart as (update conversation set merged_into = null
      where merged_into in (select id from chosen) and id not in (select id from chosen))
    delete from conversation where id in (select id from chosen) returning 1`
  return rows.length
}

/** Erases a batch of an account's contacts; returns how many. */
export async function eraseContacts(db: Db, accountId: string, most: number): Promise<number> {
  const rows = await db.system`
    delete from contact where id in (
      select c.id from instance i join project p on p.id = i.project_id
        cross join lateral (select id from contact where instance_id = i.id limit ${most}) c
      where p.account_id = ${accountId} limit ${most}) returning 1`
  return rows.length
}

/**
 * Expires a batch of the files of an account, so that the next sweep removes their bytes. Returns whether any file is
 * left.
 */
export async function expireFiles(
  db: Db,
  accountId: string,
  now: Date,
  most: number,
): Promise<{ expired: number; isLeft: boolean }> {
  const ofAccount = db.sql`project_id in (select id from project where account_id = ${accountId})`
  await db.system`
    delete from media where id in (
      select id from media where ${ofAccount} and status = 'expired' limit ${most})`
  const rows = await db.system`
    update media set expires_at = ${now} where id in (
      select id from media where ${ofAccount} and expires_at > ${now} limit ${most}) returning 1`
  const left = await db.system`select 1 from media where ${ofAccount} limit 1`
  return { expired: rows.length, isLeft: left.length > 0 }
}

/** What the rows of a table belong to. */
type Owner = 'instance' | 'campaign' | 'webhook' | 'project' | 'person'

/**
 * The tables whose rows are erased after those with batches of their own, in this order: rows of an instance are
 * deleted before it, rows of a Project after.
 */
export const REST: Record<Owner, string[]> = {
  instance: [
    'label',
    'group_participant',
    'chat_group',
    'call_log',
    'scheduled_message',
    'outbox',
    'pace',
    'event_history',
    'processed_event',
    'network_command',
    'pending_change',
    'instance_transition',
    'instance_credential',
    'qr_token',
    'pairing_link',
    'profile',
    'simulator_event',
    'simulator_link',
    'simulator_pairing',
  ],
  campaign: ['campaign_pace', 'campaign_count'],
  webhook: ['delivery', 'delivery_hour', 'webhook_status'],
  project: [
    'campaign',
    'opt_out',
    'quick_reply',
    'number_check',
    'usage_day',
    'idempotency',
    'webhook',
    'api_key',
    'api_request',
    'alert',
    'inbox',
    'simulator_phone',
    'simulator_group',
    'simulator_call',
    'instance',
  ],
  person: [
    'recovery_code',
    'email_change',
    'email_token',
    'session',
    'alert_setting',
    'saved_view',
  ],
}

/**
 * The small tables of `REST` that have no index on the column of their owner: one scan finds the rows of all owners,
 * instead of one per owner.
 */
export const WITHOUT_INDEX: ReadonlySet<string> = new Set(['network_command', 'qr_token'])

/** What belongs to an account, as a subquery of ids, and the column of other tables that refers to them. */
function ownersOf({ sql }: Db, owner: Owner, accountId: string) {
  const projects = sql`select id from project where account_id = ${accountId}`
  switch (owner) {
    case 'project':
      return { column: 'project_id', owners: sql`(${projects})` }
    case 'person':
      return {
        column: 'user_id',
        owners: sql`(select id from app_user where account_id = ${accountId})`,
      }
    default:
      return {
        column: `${owner}_id`,
        owners: sql`(select id from ${sql(owner)} where project_id in (${projects}))`,
      }
  }
}

/** Erases a batch of the other rows of an account, of one table; returns how many, 0 once none is left. */
export async function eraseRows(db: Db, accountId: string, most: number): Promise<number> {
  const { sql, system } = db
  for (const [owner, tables] of Object.entries(REST)) {
    const { column, owners } = ownersOf(db, owner as Owner, accountId)
    const parts = await system<{ name: string }[]>`
      select coalesce(part.relname, t.relname) as name
      from unnest(${tables}::text[]) with ordinality as w(name, position)
        join pg_class t on t.oid = w.name::regclass
        left join pg_inherits i on i.inhparent = t.oid left join pg_class part on part.oid = i.inhrelid
      order by w.position, part.relname`
    for (const { name } of parts) {
      // Rows have no common key, and a place only within their partition.
      const places = WITHOUT_INDEX.has(name)
        ? sql`select ctid from ${sql(name)} where ${sql(column)} in ${owners} limit ${most}`
        : sql`select place from ${owners} owner cross join lateral (
            select ctid as place from ${sql(name)} where ${sql(column)} = owner.id limit ${most}) t
          limit ${most}`
      const rows = await system`
        delete from ${sql(name)} where ctid = any(array(${places})) returning 1`
      if (rows.length > 0) return rows.length
    }
  }
  return 0
}

/**
 * Erases the personal data of an account's users and of the account itself, as the last step. Its ledger, balance,
 * payment customer and audit log remain, which refer to it and its users by ids alone.
 */
export async function eraseNames(db: Db, accountId: string, now: Date): Promise<void> {
  const { system } = db
  await system`
    update app_user set name = null, password_hash = '', totp_sealed = null, totp_on = false
    where account_id = ${accountId}`
  await system`update project set name = '' where account_id = ${accountId}`
  await system`
    update account set company = '', tax_id = '', erased_at = ${now} where id = ${accountId}`
}
