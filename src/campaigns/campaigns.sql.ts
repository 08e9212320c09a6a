import { MASS_SENDING } from '../kernel/addons.ts'
import type { LockedDb } from '../company/projects/projects.service.ts'
import type { Mode } from '../kernel/config/config.ts'
import type { Db, Scope } from '../platform/db/sql.ts'
import { movingProjects, accessGranted, scopedTo, ownedBy, ownerOf } from '../platform/db/sql.ts'
import type { SendFields } from '../model/send-fields.schemas.ts'
import {
  OPEN_STATUSES,
  type CampaignStatus,
  type Pacing,
  type PauseReason,
} from './campaigns.schemas.ts'

/** The body of a send, as the caller wrote it; its file is replaced by a media id. */
export type Template = { type: string } & Pick<SendFields, 'typingMs' | 'metadata'>
type Pause = { reason: PauseReason; at: string; willResume: boolean }
/** Recipients by status, maintained by a trigger on `campaign_recipient`; an import adds to `pending` itself. */
export type Counts = {
  pending: number
  /** Accepted, and not sent yet. */
  queued: number
  sent: number
  delivered: number
  read: number
  replied: number
  failed: number
  skipped: number
}
/** A stored campaign with its counts. */
export type CampaignRow = {
  id: string
  projectId: string
  mode: Mode
  keyId: string | null
  charged: boolean
  name: string
  instanceIds: string[]
  message: Template
  mediaId: string | null
  pacing: Pacing | null
  status: CampaignStatus
  pause: Pause | null
  scheduledAt: Date | null
  startedAt: Date | null
  finishedAt: Date | null
  dueAt: Date
  passedPosition: number
  lastPosition: number
  failureWindowStart: { results: number; failed: number }
  createdAt: Date
  updatedAt: Date
  counts: Counts
}

function campaignColumns(db: Db) {
  return db.system`c.id, c.project_id, c.mode, c.key_id, c.charged, c.name, c.instance_ids, c.message,
    c.media_id, c.pacing, c.status, c.pause, c.scheduled_at, c.started_at, c.finished_at, c.due_at,
    c.passed_position, c.last_position, c.failure_window_start, c.created_at, c.updated_at,
    (select to_jsonb(n) - 'campaign_id' from campaign_count n where n.campaign_id = c.id) as counts`
}

/** Inserts a draft campaign with its counts at zero. */
export async function insertCampaign(
  db: Db,
  scope: Scope,
  campaign: Pick<
    CampaignRow,
    'id' | 'charged' | 'name' | 'instanceIds' | 'message' | 'mediaId' | 'pacing' | 'scheduledAt'
  >,
  now: Date,
): Promise<void> {
  const { id, charged, name, instanceIds, message, mediaId, pacing, scheduledAt } = campaign
  await db.scoped`
    with made as (
      insert into campaign (id, project_id, mode, key_id, charged, name, instance_ids, message, media_id,
        pacing, status, scheduled_at, created_at, updated_at)
      select ${id}, ${ownerOf(db, scope)}, ${scope.keyId}, ${charged}, ${name},
        ${instanceIds}::text[], ${db.sql.json(message)}, ${mediaId},
        ${pacing ? db.sql.json(pacing) : null}::jsonb, 'DRAFT', ${scheduledAt}::timestamptz,
        ${now}::timestamptz, ${now}::timestamptz
      where ${accessGranted(db, scope, now)} returning id)
    insert into campaign_count (campaign_id) select id from made`
}

/** Returns a campaign, or null if it is not in the scope. */
export async function findCampaign(
  db: Db,
  scope: Scope,
  campaignId: string,
  now: Date,
): Promise<CampaignRow | null> {
  const [row] = await db.scoped<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c
    where ${scopedTo(db, scope, now)} and c.id = ${campaignId}`
  return row ?? null
}

/** Returns a campaign and locks it until the transaction ends. */
export async function lockCampaign(
  db: Db,
  scope: Scope,
  campaignId: string,
  now: Date,
): Promise<CampaignRow | null> {
  // The counts are read once the lock is held: a statement that waits for the lock would return the old ones.
  await db.scoped`
    select 1 from campaign
    where ${scopedTo(db, scope, now)} and id = ${campaignId} for update`
  return findCampaign(db, scope, campaignId, now)
}

/** Lists a page of campaigns, newest first. */
export async function listCampaigns(
  db: Db,
  scope: Scope,
  status: CampaignStatus | null,
  page: { limit: number; offset: number; now: Date },
): Promise<CampaignRow[]> {
  return db.scoped<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c
    where ${scopedTo(db, scope, page.now)} and (${status}::text is null or c.status = ${status})
    order by c.project_id desc, c.mode desc, c.id desc limit ${page.limit} offset ${page.offset}`
}

/** The columns that `updateCampaign` may change. */
export type CampaignChange = Partial<
  Pick<
    CampaignRow,
    | 'status'
    | 'pause'
    | 'startedAt'
    | 'finishedAt'
    | 'passedPosition'
    | 'lastPosition'
    | 'failureWindowStart'
  >
> & { keyId?: string | null; charged?: boolean; dueAt?: Date | 'never' }

/** Updates the given columns of a campaign whose row the caller has locked. */
export async function updateCampaign(
  db: Db,
  campaignId: string,
  change: CampaignChange,
  now: Date,
): Promise<void> {
  const { sql, system } = db
  const {
    pause,
    startedAt,
    finishedAt,
    passedPosition,
    lastPosition,
    failureWindowStart,
    keyId,
    dueAt,
  } = change
  await system`
    update campaign set updated_at = ${now}
      ${change.status === undefined ? sql`` : sql`, status = ${change.status}`}
      ${pause === undefined ? sql`` : sql`, pause = ${pause && sql.json(pause)}::jsonb`}
      ${startedAt === undefined ? sql`` : sql`, started_at = ${startedAt}`}
      ${finishedAt === undefined ? sql`` : sql`, finished_at = ${finishedAt}`}
      ${passedPosition === undefined ? sql`` : sql`, passed_position = ${passedPosition}`}
      ${lastPosition === undefined ? sql`` : sql`, last_position = ${lastPosition}`}
      ${failureWindowStart === undefined ? sql`` : sql`, failure_window_start = ${sql.json(failureWindowStart)}`}
      ${keyId === undefined ? sql`` : sql`, key_id = ${keyId}`}
      ${change.charged === undefined ? sql`` : sql`, charged = ${change.charged}`}
      ${dueAt === undefined ? sql`` : sql`, due_at = ${dueAt === 'never' ? sql`'infinity'` : dueAt}`}
    where id = ${campaignId}`
}

/**
 * Lists campaigns due by `until`: the most urgent one of each Project first, and at most `perProject` of each.
 * `hasMore` on the last row of a Project says whether it has further due campaigns.
 */
export async function findDue(
  db: Db,
  until: Date,
  { most, perProject }: { most: number; perProject: number },
): Promise<{ id: string; projectId: string; dueAt: Date; hasMore: boolean }[]> {
  return db.system<{ id: string; projectId: string; dueAt: Date; hasMore: boolean }[]>`
    select id, project_id, due_at, turn = ${perProject} and due > ${perProject} as has_more from (
      select id, project_id, due_at, row_number() over (partition by project_id order by due_at) as turn,
        count(*) over (partition by project_id) as due
      from campaign where due_at <= ${until} and project_id <> all(${movingProjects(db)})) t
    where turn <= ${perProject} order by turn, due_at limit ${most}`
}

/** Whether a campaign is due by then. */
export const anyCampaignDue = (db: Db, until: Date) =>
  db.sql`exists (select from campaign
    where due_at <= ${until} and project_id <> all(${movingProjects(db)}))`

/** Postpones a campaign whose step failed; one that is due later, such as a scheduled one, stays as it is. */
export async function postponeCampaign(db: Db, campaignId: string, until: Date): Promise<void> {
  await db.system`
    update campaign set due_at = greatest(due_at, ${until}::timestamptz)
    where id = ${campaignId} and due_at < 'infinity'`
}

const UNDER_WAY = (db: Db) =>
  db.system`status in ('SCHEDULED', 'RUNNING', 'PAUSED') and due_at < 'infinity'
    and project_id <> all(${movingProjects(db)})`

/** Returns a campaign in progress, or null. */
export async function findUnderWay(db: Db, campaignId: string): Promise<CampaignRow | null> {
  const [row] = await db.system<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c where c.id = ${campaignId} and ${UNDER_WAY(db)}`
  return row ?? null
}

/** Returns the campaigns among these in progress, each with its turn among those of its Project; first turns first. */
export async function orderByTurn(
  db: Db,
  ids: string[],
): Promise<{ id: string; projectId: string; turn: number }[]> {
  return db.system<{ id: string; projectId: string; turn: number }[]>`
    select c.id, c.project_id, row_number() over (partition by c.project_id order by w.position)::int as turn
    from unnest(${ids}::text[]) with ordinality as w(id, position) join campaign c on c.id = w.id
    where ${UNDER_WAY(db)} order by turn, w.position`
}

/** Lists campaigns in progress that send from one of these instances. */
export async function findBySender(db: Db, instanceIds: string[]): Promise<string[]> {
  const rows = await db.system<{ id: string }[]>`
    select id from campaign where ${UNDER_WAY(db)} and instance_ids && ${instanceIds}::text[]`
  return rows.map(({ id }) => id)
}

/** Counts the campaigns of a Project and mode that have not ended, and those of them that were started. */
export async function countOpen(db: Db, scope: Scope): Promise<{ open: number; underWay: number }> {
  const [row] = await db.scoped<{ open: number; underWay: number }[]>`
    select count(*) as open, count(*) filter (where status <> 'DRAFT') as under_way from campaign
    where ${ownedBy(db, scope)}
      and status = any(${[...OPEN_STATUSES]}::text[])`
  return row ?? { open: 0, underWay: 0 }
}

/** Lists the files of campaigns that have not ended. */
export async function findFiles(
  db: Db,
): Promise<{ projectId: string; mode: Mode; mediaId: string }[]> {
  return db.system<{ projectId: string; mode: Mode; mediaId: string }[]>`
    select project_id, mode, media_id from campaign
    where media_id is not null and status = any(${[...OPEN_STATUSES]}::text[])
      and project_id <> all(${movingProjects(db)})`
}

/** Returns and locks a campaign for its next step; null if it has none, or another node has locked it. */
export async function claimCampaign(
  db: LockedDb,
  campaignId: string,
): Promise<(CampaignRow & { addon: boolean }) | null> {
  const taken = await db.system`
    select 1 from campaign where id = ${campaignId} and ${UNDER_WAY(db)} for update skip locked`
  if (taken.length === 0) return null
  const [row] = await db.system<(CampaignRow & { addon: boolean })[]>`
    select ${campaignColumns(db)},
      c.mode = 'test' or ${MASS_SENDING} = any(p.addons) as addon
    from campaign c join project p on p.id = c.project_id where c.id = ${campaignId}`
  return row ?? null
}

/** Returns when each instance may send its next message, in epoch milliseconds, by instance id. */
export async function findPaces(db: Db, campaignId: string): Promise<Map<string, number>> {
  const rows = await db.system<{ instanceId: string; nextAt: Date }[]>`
    select instance_id, next_at from campaign_pace where campaign_id = ${campaignId}`
  return new Map(rows.map(({ instanceId, nextAt }) => [instanceId, nextAt.getTime()]))
}

/** Stores when each instance may send its next message. */
export async function savePaces(
  db: Db,
  campaignId: string,
  paces: { instanceId: string; nextAt: number }[],
): Promise<void> {
  await db.system`
    insert into campaign_pace (campaign_id, instance_id, next_at)
    select ${campaignId}, t.instance_id, to_timestamp(t.next_at / 1000.0)
    from unnest(${paces.map((pace) => pace.instanceId)}::text[],
      ${paces.map((pace) => pace.nextAt)}::float8[]) as t(instance_id, next_at)
    on conflict (campaign_id, instance_id) do update set next_at = excluded.next_at`
}

/** Counts the campaign messages of each instance since then, up to `most`. */
export async function countSent(
  db: Db,
  instanceIds: string[],
  since: Date,
  most: number,
): Promise<Map<string, number>> {
  const rows = await db.system<{ instanceId: string; sent: number }[]>`
    select i.id as instance_id, (select count(*) from (
      select 1 from message m where m.instance_id = i.id and m.campaign_id is not null
        and m.created_at >= ${since} limit ${most}) t) as sent
    from unnest(${instanceIds}::text[]) as i(id)`
  return new Map(rows.map(({ instanceId, sent }) => [instanceId, sent]))
}
