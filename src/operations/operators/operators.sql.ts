import { MASS_SENDING } from '../../kernel/addons.ts'
import { likePattern, type Db } from '../../platform/db/sql.ts'
import type { OperatedProject, Queues } from './operators.schemas.ts'

/** Maximum number of rows of a queue that are counted. */
const MAX_COUNTED = 100_000
const MAX_PROJECTS = 10

/** Whether a user runs the installation, and has a second factor. */
export async function findOperator(
  db: Db,
  userId: string,
): Promise<{ isOperator: boolean; secondFactor: boolean } | null> {
  const [row] = await db.system<{ isOperator: boolean; secondFactor: boolean }[]>`
    select is_operator, totp_on as second_factor from app_user
    where id = ${userId} and removed_at is null and confirmed_at is not null`
  return row ?? null
}

/** Makes a user an operator, or revokes it. Returns the id of the user, or null if there is none with this address. */
export async function setOperator(
  db: Db,
  email: string,
  isOperator: boolean,
): Promise<{ id: string; email: string } | null> {
  const [row] = await db.system<{ id: string; email: string }[]>`
    update app_user set is_operator = ${isOperator}
    where email = ${email} and removed_at is null and confirmed_at is not null returning id, email`
  return row ?? null
}

/** Lists the operators by email address. */
export const listOperators = (db: Db) =>
  db.system<{ id: string; email: string; secondFactor: boolean }[]>`
    select id, email, totp_on as second_factor from app_user
    where is_operator and removed_at is null order by email`

type ProjectRow = Omit<OperatedProject, 'createdAt'> & { createdAt: Date }

/**
 * Lists Projects, newest first. `sentSince` is the first day whose messages count, `ownerRole` the role of the person
 * to name.
 */
export async function listOperatedProjects(
  db: Db,
  filter: { id: string | null; q: string | null; status: string | null },
  page: { limit: number; offset: number; sentSince: string; ownerRole: string },
): Promise<ProjectRow[]> {
  const like = filter.q === null ? null : likePattern(filter.q)
  return db.system<ProjectRow[]>`
    with found as (
      select p.*, a.company from project p join account a on a.id = p.account_id
      where a.deleted_at is null and (${filter.id}::text is null or p.id = ${filter.id})
        and (${filter.status}::text is null or p.status = ${filter.status})
        and (${like}::text is null or a.company ilike ${like} or p.id = ${filter.q} or exists (
          select 1 from app_user u
          where u.account_id = a.id and u.removed_at is null and u.email ilike ${like}))
      order by p.created_at desc, p.id desc limit ${page.limit} offset ${page.offset})
    select f.id, f.company, f.status, f.usage_mode, f.exempt, f.subscription,
      ${MASS_SENDING} = any(f.addons) as mass_sending, b.credits, f.created_at,
      (select email from app_user u
        where u.account_id = f.account_id and u.role = ${page.ownerRole} and u.removed_at is null
        order by u.created_at limit 1) as owner,
      n.instances, n.connected,
      coalesce((select sum(sent) from usage_day d where d.project_id = f.id and d.mode = 'production'
        and d.day >= ${page.sentSince}::date), 0)::bigint as sent
    from found f join balance b on b.project_id = f.id cross join lateral (
      select count(*) as instances, count(*) filter (where status = 'CONNECTED') as connected from instance i
      where i.project_id = f.id and i.mode = 'production' and i.deleted_at is null) n
    order by f.created_at desc, f.id desc`
}

type QueuesRow = Omit<Queues, 'messages' | 'oldestMessageAt' | 'oldestDeliveryAt'> & {
  oldestDeliveryAt: Date | null
}

/** Counts queued work other than messages, and lists the Projects with the longest queues. */
export async function readQueues(db: Db, now: Date): Promise<QueuesRow> {
  const [row] = await db.system<QueuesRow[]>`
    with waiting as materialized (
      select i.project_id from (select instance_id from outbox limit ${MAX_COUNTED}) o
        join instance i on i.id = o.instance_id),
    due as materialized (
      select webhook_id, due_at from delivery where visible_at <= ${now} order by visible_at
      limit ${MAX_COUNTED}),
    shares as (
      select project_id, count(*) as messages, 0 as deliveries from waiting group by project_id
      union all
      select w.project_id, 0, count(*) from due d join webhook w on w.id = d.webhook_id group by w.project_id),
    largest as (
      select s.project_id, a.company, sum(s.messages)::int as messages, sum(s.deliveries)::int as deliveries
      from shares s join project p on p.id = s.project_id join account a on a.id = p.account_id
      group by s.project_id, a.company order by sum(s.messages + s.deliveries) desc, s.project_id
      limit ${MAX_PROJECTS})
    select (select count(*) from due) as due_deliveries, (select min(due_at) from due) as oldest_delivery_at,
      (select count(*) from (select from delivery where visible_at > ${now} limit ${MAX_COUNTED}) d)
        as waiting_deliveries,
      (select count(*) from campaign where status = 'RUNNING') as running_campaigns,
      (select count(*) from (select from scheduled_message where status = 'scheduled' limit ${MAX_COUNTED}) s)
        as scheduled_messages,
      coalesce((select jsonb_agg(jsonb_build_object('projectId', project_id, 'company', company,
        'messages', messages, 'deliveries', deliveries)) from largest), '[]') as projects`
  if (!row) throw new Error('the query of the queues returned no row')
  return row
}
