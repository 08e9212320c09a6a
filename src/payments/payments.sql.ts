import type { Db } from '../db/sql.ts'

/** Who a Project is to the payment service; null before its first purchase. */
export async function findCustomer(db: Db, projectId: string): Promise<string | null> {
  const [row] = await db.sql<{ customerId: string }[]>`
    select customer_id from payment_customer where project_id = ${projectId}`
  return row?.customerId ?? null
}

/** Notes a customer; answers the one that is noted, which may be another's who was faster. */
export async function putCustomer(
  db: Db,
  customer: { projectId: string; customerId: string; now: Date },
): Promise<string> {
  const { projectId, customerId, now } = customer
  await db.sql`
    insert into payment_customer (project_id, customer_id, created_at)
    values (${projectId}, ${customerId}, ${now}) on conflict (project_id) do nothing`
  return (await findCustomer(db, projectId)) ?? customerId
}

/** The Project of a customer, whose standing nobody else changes meanwhile; null for a stranger. */
export async function lockCustomer(db: Db, customerId: string): Promise<string | null> {
  const [row] = await db.sql<{ projectId: string }[]>`
    select project_id from payment_customer where customer_id = ${customerId} for update`
  return row?.projectId ?? null
}

/** Who pays for a Project, as the payment service is to know him. */
export async function findPayer(
  db: Db,
  projectId: string,
): Promise<{ company: string; email: string } | null> {
  const [row] = await db.sql<{ company: string; email: string }[]>`
    select a.company, u.email from project p join account a on a.id = p.account_id
      join app_user u on u.account_id = a.id
    where p.id = ${projectId} and u.role = 'Dono' order by u.created_at limit 1`
  return row ?? null
}
