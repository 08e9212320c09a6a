import type { Db, Scope } from '../db/sql.ts'
import { granted } from '../db/sql.ts'

/** Whether the scope may do what needs a subscription: always in test, else with an active one or exempt. */
export async function hasSubscription(db: Db, scope: Scope, now: Date): Promise<boolean> {
  const [row] = await db.sql<{ subscribed: boolean }[]>`
    select ${scope.mode} = 'test' or exempt or subscription = 'active' as subscribed
    from project where ${granted(db, scope, now)} and id = ${scope.projectId}`
  return row?.subscribed ?? false
}

export async function readCredits(db: Db, projectId: string): Promise<number> {
  const [row] = await db.sql<{ credits: number }[]>`
    select credits from balance where project_id = ${projectId}`
  return row?.credits ?? 0
}

export async function addCredits(
  db: Db,
  projectId: string,
  amount: number,
): Promise<number | null> {
  const [row] = await db.sql<{ credits: number }[]>`
    update balance set credits = credits + ${amount} where project_id = ${projectId} returning credits`
  return row?.credits ?? null
}

/** Gives back what failed sends had cost. */
export async function refundCredits(
  db: Db,
  refunds: { projectId: string; amount: number }[],
): Promise<void> {
  await db.sql`
    update balance b set credits = b.credits + r.amount
    from (select project_id, sum(amount) as amount
      from unnest(${refunds.map((refund) => refund.projectId)}::text[],
        ${refunds.map((refund) => refund.amount)}::bigint[]) as t(project_id, amount)
      group by project_id) r
    where b.project_id = r.project_id`
}

/**
 * Locks the balances of these Projects, in order. Whoever writes conversations of a Project holds its balance, so
 * that accepting and receiving cannot wait for one another.
 */
export async function lockBalances(db: Db, projectIds: string[]): Promise<void> {
  await db.sql`
    select 1 from balance where project_id = any(${projectIds}) order by project_id for update`
}

/** Counts messages against the test day. With `most`, false instead of exceeding it. */
export async function countTestMessages(
  db: Db,
  projectId: string,
  count: number,
  day: string,
  most: number | null,
): Promise<boolean> {
  const rows = await db.sql`
    update balance set
      test_count = ${count} + case when test_day = ${day}::date then test_count else 0 end,
      test_day = ${day}::date
    where project_id = ${projectId}
      and (${most}::int is null
        or ${count} + case when test_day = ${day}::date then test_count else 0 end <= ${most}::int)
    returning project_id`
  return rows.length > 0
}
