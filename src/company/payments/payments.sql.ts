import type { Db } from '../../platform/db/sql.ts'

/** Returns the payment service's customer id of a Project, or null before its first purchase. */
export async function findCustomer(db: Db, projectId: string): Promise<string | null> {
  const [row] = await db.system<{ customerId: string }[]>`
    select customer_id from payment_customer where project_id = ${projectId}`
  return row?.customerId ?? null
}

/**
 * Stores the customer id of a Project. Replaces an existing one only if it is `unknown`, which the
 * service no longer knows. Returns the id that is stored afterwards.
 */
export async function putCustomer(
  db: Db,
  customer: { projectId: string; customerId: string; unknown: string | null; now: Date },
): Promise<string> {
  const { projectId, customerId, unknown, now } = customer
  await db.system`
    insert into payment_customer as c (project_id, customer_id, created_at, checked_at)
    values (${projectId}, ${customerId}, ${now}, ${now})
    on conflict (project_id) do update set customer_id = excluded.customer_id
    where c.customer_id = ${unknown}`
  return (await findCustomer(db, projectId)) ?? customerId
}

/** Allocates the next query number of a customer; null for an unknown customer. */
export async function recordQuery(db: Db, customerId: string): Promise<number | null> {
  const [row] = await db.system<{ asked: number }[]>`
    update payment_customer set asked = asked + 1 where customer_id = ${customerId} returning asked`
  return row?.asked ?? null
}

/** Records that the result of a query has been applied. */
export async function recordApplied(db: Db, customerId: string, query: number): Promise<void> {
  await db.system`update payment_customer set applied = ${query} where customer_id = ${customerId}`
}

/** Sets the time at which a customer was last checked. */
export async function setChecked(db: Db, customerId: string, at: Date): Promise<void> {
  await db.system`update payment_customer set checked_at = ${at} where customer_id = ${customerId}`
}

/** The payment service's customer of a Project; `applied` is the number of the last query whose result was applied. */
export type Customer = { projectId: string; applied: number; deleted: boolean }

/** Locks and returns a customer, or null if it is unknown. */
export async function lockCustomer(db: Db, customerId: string): Promise<Customer | null> {
  const [row] = await db.system<Customer[]>`
    select c.project_id, c.applied, a.deleted_at is not null as deleted
    from payment_customer c join project p on p.id = c.project_id join account a on a.id = p.account_id
    where c.customer_id = ${customerId} for update of c`
  return row ?? null
}

/** A customer whose standing and purchases have to be read, with what its Project has now. */
export type UncheckedCustomer = {
  customerId: string
  projectId: string
  subscription: string
  deleted: boolean
}

/**
 * Lists customers that have not been checked since `before`, including those of deleted accounts
 * whose subscriptions have not been canceled yet.
 */
export async function findUncheckedCustomers(
  db: Db,
  before: Date,
  most: number,
): Promise<UncheckedCustomer[]> {
  return db.system<UncheckedCustomer[]>`
    select c.customer_id, c.project_id, p.subscription, a.deleted_at is not null as deleted
    from payment_customer c join project p on p.id = c.project_id join account a on a.id = p.account_id
    where c.ended_at is null and c.checked_at <= ${before} order by c.checked_at limit ${most}`
}

/** Records that all subscriptions of a customer have been canceled. */
export async function markEnded(db: Db, customerId: string, now: Date): Promise<void> {
  await db.system`
    update payment_customer set ended_at = ${now}, checked_at = ${now} where customer_id = ${customerId}`
}

/** Returns the company name and email address for a new customer, or null for a removed user. */
export async function findPayer(
  db: Db,
  userId: string,
): Promise<{ company: string; email: string } | null> {
  const [row] = await db.system<{ company: string; email: string }[]>`
    select a.company, u.email from app_user u join account a on a.id = u.account_id
    where u.id = ${userId} and u.removed_at is null`
  return row ?? null
}
