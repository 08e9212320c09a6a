import type { Language } from '../../kernel/phrases/phrases.ts'
import type { Role } from '../../kernel/permissions.ts'
import type { Db, Fragment } from '../../platform/db/sql.ts'
import { movingProjects } from '../../platform/db/sql.ts'
import type { AlertKind } from './alerts.schemas.ts'

/** The condition that Project `p` is active and not moving away, so that its problems are reported here. */
const isServedHere = (db: Db) =>
  db.sql`(p.status = 'ACTIVE' and p.id <> all(${movingProjects(db)}))`

/** Selects the current problems in production: `kind`, the affected object and a detail. */
function currentProblems(
  db: Db,
  since: { now: Date; downSince: Date; failingSince: Date; failedSince: Date },
): Fragment {
  return db.sql`
    select i.project_id, 'instance_down' as kind, i.id as object,
      -- An instance that another node took over and cannot open counts as disconnected.
      case when i.status = 'CONNECTING' then 'DISCONNECTED' else i.status end as detail
    from instance i join project p on p.id = i.project_id and ${isServedHere(db)}
    where i.mode = 'production' and i.deleted_at is null
      and (i.status = 'BANNED'
        or (i.status = 'DISCONNECTED' or i.status = 'CONNECTING' and i.resumes)
          and coalesce(i.disconnected_at, i.updated_at) <= ${since.downSince}
        or i.status = 'LOGGED_OUT' and (
          select t.reason from instance_transition t
          where t.instance_id = i.id and t.to_status = 'LOGGED_OUT'
            and t.reason is distinct from 'qr_expired'
          order by t.id desc limit 1) is distinct from 'logged_out')
    union all
    select w.project_id, 'webhook_failing', w.id, s.last_failure_reason
    from webhook w join webhook_status s on s.webhook_id = w.id
      join project p on p.id = w.project_id and ${isServedHere(db)}
    where w.mode = 'production' and w.deleted_at is null and w.enabled
      and s.last_failure_at >= ${since.failedSince}
      and s.last_failure_at > coalesce(s.last_success_at, '-infinity')
      and exists (
        select 1 from delivery_log l
        where l.webhook_id = w.id and not l.success and l.created_at >= ${since.failedSince}
          and l.created_at > coalesce(s.last_success_at, '-infinity')
          and l.created_at <= ${since.failingSince})
    union all
    select p.id, 'credits_low', p.id, b.credits::text
    from project p join balance b on b.project_id = p.id
    where ${isServedHere(db)} and p.subscription = 'active' and not p.exempt
      and b.credits < p.credits_below
    union all
    select p.id, 'payment_due', p.id, null from project p
    where ${isServedHere(db)} and p.subscription = 'past_due'`
}

/** Whether a disconnected instance has since been logged out or banned, which warrants another mail. */
const isWorse = ({ sql }: Db, before: string, after: string): Fragment =>
  sql`${sql(before)}.kind = 'instance_down' and ${sql(before)}.detail = 'DISCONNECTED'
    and ${sql(after)}.detail <> 'DISCONNECTED'`

/** Whether a recurring alert is sent again. */
const isNews = (db: Db, quietSince: Date): Fragment =>
  db.sql`a.ended_at < ${quietSince} or ${isWorse(db, 'a', 'excluded')}`

/**
 * Opens alerts for new problems and ends those that are gone. A problem that returns before `quietSince` is the same
 * one and sends no new mail. Only one node at a time runs this.
 */
export async function updateAlerts(
  tx: Db,
  times: {
    now: Date
    downSince: Date
    failingSince: Date
    failedSince: Date
    quietSince: Date
    forgetBefore: Date
  },
): Promise<void> {
  const { system } = tx
  const { now, quietSince, forgetBefore } = times
  const [lock] = await system<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext('recado.alerts')) as locked`
  if (!lock?.locked) return
  await system`
    with problems as materialized (${currentProblems(tx, times)}),
    resolved as (
      update alert a set ended_at = ${now}
      where a.ended_at is null and not exists (
        select 1 from problems w
        where w.project_id = a.project_id and w.kind = a.kind and w.object = a.object))
    insert into alert as a (project_id, kind, object, detail, started_at)
    select project_id, kind, object, detail, ${now} from problems w
    where not exists (
      select 1 from alert o
      where o.project_id = w.project_id and o.kind = w.kind and o.object = w.object
        and o.ended_at is null and not (${isWorse(tx, 'o', 'w')}))
    order by project_id, kind, object
    on conflict (project_id, kind, object) do update set
      ended_at = null,
      detail = excluded.detail,
      started_at = case when ${isNews(tx, quietSince)} then excluded.started_at else a.started_at end,
      sent_at = case when ${isNews(tx, quietSince)} then null else a.sent_at end,
      sending_until = case when ${isNews(tx, quietSince)} then null else a.sending_until end`
  await system`delete from alert where ended_at < ${forgetBefore}`
}

/** A stored alert. */
export type AlertRow = {
  projectId: string
  kind: AlertKind
  object: string
  detail: string | null
  startedAt: Date
  /** The name of the instance or webhook; null for other kinds. */
  name: string | null
}

/** Claims, until `until`, the unsent alerts of the Project that has waited longest. */
export async function claimUnsent(
  db: Db,
  { now, until }: { now: Date; until: Date },
): Promise<AlertRow[]> {
  return db.system<AlertRow[]>`
    with next as (
      select project_id from alert
      where sent_at is null and ended_at is null
        and (sending_until is null or sending_until <= ${now})
      order by started_at limit 1),
    unsent as (
      select a.project_id, a.kind, a.object from alert a join next using (project_id)
      where a.sent_at is null and a.ended_at is null
        and (a.sending_until is null or a.sending_until <= ${now})
      order by a.kind, a.object for update of a skip locked)
    update alert a set sending_until = ${until} from unsent u
    where a.project_id = u.project_id and a.kind = u.kind and a.object = u.object
    returning a.project_id, a.kind, a.object, a.detail, a.started_at,
      coalesce((select name from instance where id = a.object),
        (select name from webhook where id = a.object)) as name`
}

/** Marks alerts as sent, unless another node has taken them over or they have become worse since. */
export async function markSent(
  db: Db,
  alerts: AlertRow[],
  { now, until }: { now: Date; until: Date },
): Promise<void> {
  await db.system`
    update alert a set sent_at = ${now}, sending_until = null
    from unnest(${alerts.map(({ projectId }) => projectId)}::text[],
      ${alerts.map(({ kind }) => kind)}::text[],
      ${alerts.map(({ object }) => object)}::text[],
      ${alerts.map(({ startedAt }) => startedAt.toISOString())}::timestamptz[])
        as t(project_id, kind, object, started_at)
    where a.project_id = t.project_id and a.kind = t.kind and a.object = t.object
      and a.started_at = t.started_at and a.sending_until = ${until}`
}

/** A user who may receive alerts; `kinds` is null if they have chosen none. */
export type Listener = {
  email: string
  role: Role
  company: string
  kinds: AlertKind[] | null
  language: Language | null
}

/** Lists the users of a Project with the alerts that each has chosen. */
export async function findListeners(db: Db, projectId: string): Promise<Listener[]> {
  return db.system<Listener[]>`
    select u.email, u.role, a.company, s.kinds, u.appearance->>'language' as language
    from project p join account a on a.id = p.account_id
      join app_user u on u.account_id = a.id and u.removed_at is null and u.confirmed_at is not null
      left join alert_setting s on s.user_id = u.id
    where p.id = ${projectId} order by u.id`
}

/** Returns which alerts a user has chosen, and the Project's threshold for low credits. */
export async function findAlertSettings(
  db: Db,
  userId: string,
): Promise<{ kinds: AlertKind[] | null; creditsBelow: number } | null> {
  const [row] = await db.system<{ kinds: AlertKind[] | null; creditsBelow: number }[]>`
    select s.kinds, p.credits_below
    from app_user u join project p on p.account_id = u.account_id
      left join alert_setting s on s.user_id = u.id
    where u.id = ${userId}`
  return row ?? null
}

/** Stores which alerts a user receives. */
export async function saveAlertKinds(db: Db, userId: string, kinds: AlertKind[]): Promise<void> {
  await db.system`
    insert into alert_setting (user_id, kinds) values (${userId}, ${kinds}::text[])
    on conflict (user_id) do update set kinds = excluded.kinds`
}

/** Stores the threshold for low credits. */
export async function saveCreditsBelow(db: Db, projectId: string, below: number): Promise<void> {
  await db.system`update project set credits_below = ${below} where id = ${projectId}`
}
