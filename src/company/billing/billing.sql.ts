import type { Db, Scope } from '../../platform/db/sql.ts'
import { accessGranted, scopedTo, projectOf } from '../../platform/db/sql.ts'

/**
 * Whether the scope may use features that need a subscription: always in test mode; in production
 * only with an active subscription or an exemption.
 */
export async function hasSubscription(db: Db, scope: Scope, now: Date): Promise<boolean> {
  const [row] = await db.scoped<{ subscribed: boolean }[]>`
    select ${scope.mode} = 'test' or exempt or subscription = 'active' as subscribed
    from project where ${accessGranted(db, scope, now)} and id = ${projectOf(db, scope)}`
  return row?.subscribed ?? false
}

/** Whether the scope may use an add-on: always in test mode. */
export async function hasAddon(db: Db, scope: Scope, addon: string, now: Date): Promise<boolean> {
  const [row] = await db.scoped<{ granted: boolean }[]>`
    select ${scope.mode} = 'test' or ${addon} = any(addons) as granted
    from project where ${accessGranted(db, scope, now)} and id = ${projectOf(db, scope)}`
  return row?.granted ?? false
}

/** Returns the number of test-mode messages of a Project on that day. */
export async function readTestCount(db: Db, scope: Scope, day: string, now: Date): Promise<number> {
  const [row] = await db.scoped<{ count: number }[]>`
    select case when test_day = ${day}::date then test_count else 0 end as count from balance
    where ${accessGranted(db, scope, now)} and project_id = ${projectOf(db, scope)}`
  return row?.count ?? 0
}

/** Message counts of one day, instance and key; received messages have no key. */
export type UsageRow = {
  day: string
  instanceId: string
  keyId: string | null
  sent: number
  received: number
}

/** Lists the usage of a range of days, oldest first. */
export async function listUsage(
  db: Db,
  scope: Scope,
  range: { from: string; to: string; now: Date },
): Promise<UsageRow[]> {
  return db.scoped<UsageRow[]>`
    select day::text as day, instance_id, nullif(key_id, '') as key_id, sent, received from usage_day
    where ${scopedTo(db, scope, range.now)} and day between ${range.from}::date and ${range.to}::date
    order by day, instance_id, key_id`
}

/** Returns the credit balance of a Project. */
export async function readCredits(db: Db, projectId: string): Promise<number> {
  const [row] = await db.system<{ credits: number }[]>`
    select credits from balance where project_id = ${projectId}`
  return row?.credits ?? 0
}

/** A ledger entry that added credits. */
export type IncomingCredits = { at: Date; cause: 'opening' | 'grant' | 'purchase'; amount: number }

/** Lists the ledger entries that added credits, newest first. */
export async function listIncoming(
  db: Db,
  projectId: string,
  most: number,
): Promise<IncomingCredits[]> {
  return db.system<IncomingCredits[]>`
    select at, cause, amount from ledger
    where project_id = ${projectId} and cause in ('opening', 'grant', 'purchase')
    order by id desc limit ${most}`
}

/** Whether a payment has been credited. The caller must hold the lock of its customer. */
export async function isBooked(db: Db, reference: string): Promise<boolean> {
  const rows = await db.system`
    select 1 from ledger where reference = ${reference} and cause = 'purchase'`
  return rows.length > 0
}

/** Books a grant or a purchase and adds it to the balance. Returns the new balance, or null for an unknown Project. */
export async function addCredits(
  db: Db,
  projectId: string,
  added: { cause: 'grant' | 'purchase'; id: string; amount: number; at: Date },
): Promise<number | null> {
  const { cause, id, amount, at } = added
  const [row] = await db.system<{ credits: number }[]>`
    with added as (
      update balance set credits = credits + ${amount} where project_id = ${projectId}
      returning project_id, credits),
    booked as (
      insert into ledger (project_id, at, cause, amount, reference)
      select project_id, ${at}::timestamptz, ${cause}, ${amount}::bigint, ${id} from added)
    select credits from added`
  return row?.credits ?? null
}

/** Credits to refund for a message. */
export type Refund = { projectId: string; messageId: string; amount: number }

/** Refunds the credits of failed sends and books the refunds. */
export async function refundCredits(db: Db, refunds: Refund[], at: Date): Promise<void> {
  await db.system`
    with refund as materialized (
      select * from unnest(${refunds.map((refund) => refund.projectId)}::text[],
        ${refunds.map((refund) => refund.messageId)}::text[],
        ${refunds.map((refund) => refund.amount)}::bigint[]) as t(project_id, message_id, amount)),
    booked as (
      insert into ledger (project_id, at, cause, amount, reference)
      select project_id, ${at}::timestamptz, 'refund', amount, message_id from refund)
    update balance b set credits = b.credits + r.amount
    from (select project_id, sum(amount) as amount from refund group by project_id) r
    where b.project_id = r.project_id`
}

/** Lists Projects whose balance differs from the sum of their ledger, which indicates a bug. */
export async function findDrift(
  db: Db,
): Promise<{ projectId: string; credits: number; booked: number }[]> {
  return db.system<{ projectId: string; credits: number; booked: number }[]>`
    select b.project_id, b.credits, coalesce(l.booked, 0) as booked from balance b
      left join (select project_id, sum(amount)::bigint as booked from ledger group by project_id) l
        on l.project_id = b.project_id
    where b.credits <> coalesce(l.booked, 0)
    order by b.project_id`
}

/** Adds messages to the day's test-mode count. Returns false, without counting, if that would exceed `most`. */
export async function countTestMessages(
  db: Db,
  projectId: string,
  count: number,
  day: string,
  most: number | null,
): Promise<boolean> {
  const rows = await db.system`
    update balance set
      test_count = ${count} + case when test_day = ${day}::date then test_count else 0 end,
      test_day = ${day}::date
    where project_id = ${projectId}
      and (${most}::int is null
        or ${count} + case when test_day = ${day}::date then test_count else 0 end <= ${most}::int)
    returning project_id`
  return rows.length > 0
}
