import type { Mode } from '../config/config.ts'
import type { Db, Scope } from '../db/sql.ts'
import { granted, within } from '../db/sql.ts'
import type { SendFields } from '../records/define-message-kind.ts'
import type { CampaignStatus, Pacing, PauseReason } from './campaigns.schemas.ts'

/** The body of a send, as it was typed; a file is named by its id. */
export type Template = { type: string } & Pick<SendFields, 'typingMs' | 'metadata'>
type Pause = { reason: PauseReason; at: string; willResume: boolean }
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
  passed: number
  lastPosition: number
  judgedFrom: { results: number; failed: number }
  createdAt: Date
  updatedAt: Date
  counts: Counts
}

function campaignColumns(db: Db) {
  return db.sql`c.id, c.project_id, c.mode, c.key_id, c.charged, c.name, c.instance_ids, c.message,
    c.media_id, c.pacing, c.status, c.pause, c.scheduled_at, c.started_at, c.finished_at, c.due_at,
    c.passed, c.last_position, c.judged_from, c.created_at, c.updated_at,
    (select to_jsonb(n) - 'campaign_id' from campaign_count n where n.campaign_id = c.id) as counts`
}

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
  await db.sql`
    with made as (
      insert into campaign (id, project_id, mode, key_id, charged, name, instance_ids, message, media_id,
        pacing, status, scheduled_at, created_at, updated_at)
      select ${id}, ${scope.projectId}, ${scope.mode}, ${scope.keyId}, ${charged}, ${name},
        ${instanceIds}::text[], ${db.sql.json(message)}, ${mediaId},
        ${pacing ? db.sql.json(pacing) : null}::jsonb, 'DRAFT', ${scheduledAt}::timestamptz,
        ${now}::timestamptz, ${now}::timestamptz
      where ${granted(db, scope, now)} returning id)
    insert into campaign_count (campaign_id) select id from made`
}

export async function findCampaign(
  db: Db,
  scope: Scope,
  campaignId: string,
  now: Date,
): Promise<CampaignRow | null> {
  const [row] = await db.sql<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c
    where ${within(db, scope, now)} and c.id = ${campaignId}`
  return row ?? null
}

/** The same, and nobody else changes it before the transaction ends. */
export async function lockCampaign(
  db: Db,
  scope: Scope,
  campaignId: string,
  now: Date,
): Promise<CampaignRow | null> {
  const [row] = await db.sql<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c
    where ${within(db, scope, now)} and c.id = ${campaignId} for update of c`
  return row ?? null
}

export async function listCampaigns(
  db: Db,
  scope: Scope,
  status: CampaignStatus | null,
  page: { limit: number; offset: number; now: Date },
): Promise<CampaignRow[]> {
  return db.sql<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c
    where ${within(db, scope, page.now)} and (${status}::text is null or c.status = ${status})
    order by c.id desc limit ${page.limit} offset ${page.offset}`
}

/** Which of these instances there are, in their order. */
export async function findInstances(
  db: Db,
  scope: Scope,
  instanceIds: string[],
  now: Date,
): Promise<{ id: string; status: string; restricted: boolean }[]> {
  return db.sql<{ id: string; status: string; restricted: boolean }[]>`
    select id, status, restriction is not null as restricted from instance
    where ${within(db, scope, now)} and id = any(${instanceIds}) and deleted_at is null
    order by array_position(${instanceIds}::text[], id)`
}

export type CampaignChange = Partial<
  Pick<
    CampaignRow,
    'status' | 'pause' | 'startedAt' | 'finishedAt' | 'passed' | 'lastPosition' | 'judgedFrom'
  >
> & { keyId?: string | null; dueAt?: Date | 'never' }

/** Changes what is named; what is not stays. The row is locked by the caller. */
export async function updateCampaign(
  db: Db,
  campaignId: string,
  change: CampaignChange,
  now: Date,
): Promise<void> {
  const { sql } = db
  const { pause, startedAt, finishedAt, passed, lastPosition, judgedFrom, keyId, dueAt } = change
  await sql`
    update campaign set updated_at = ${now}
      ${change.status === undefined ? sql`` : sql`, status = ${change.status}`}
      ${pause === undefined ? sql`` : sql`, pause = ${pause && sql.json(pause)}::jsonb`}
      ${startedAt === undefined ? sql`` : sql`, started_at = ${startedAt}`}
      ${finishedAt === undefined ? sql`` : sql`, finished_at = ${finishedAt}`}
      ${passed === undefined ? sql`` : sql`, passed = ${passed}`}
      ${lastPosition === undefined ? sql`` : sql`, last_position = ${lastPosition}`}
      ${judgedFrom === undefined ? sql`` : sql`, judged_from = ${sql.json(judgedFrom)}`}
      ${keyId === undefined ? sql`` : sql`, key_id = ${keyId}`}
      ${dueAt === undefined ? sql`` : sql`, due_at = ${dueAt === 'never' ? sql`'infinity'` : dueAt}`}
    where id = ${campaignId}`
}

/** Campaigns that the worker has to look at until then, the oldest debt first. */
export async function findDue(
  db: Db,
  until: Date,
  most: number,
): Promise<{ id: string; dueAt: Date }[]> {
  return db.sql<{ id: string; dueAt: Date }[]>`
    select id, due_at from campaign where due_at <= ${until} order by due_at limit ${most}`
}

/** The campaign as it stands. */
export async function findCampaignById(db: Db, campaignId: string): Promise<CampaignRow | null> {
  const [row] = await db.sql<CampaignRow[]>`
    select ${campaignColumns(db)} from campaign c where c.id = ${campaignId}`
  return row ?? null
}

/** The campaign, for its next step, unless it is not under way or another node has it in hand. */
export async function takeCampaign(
  db: Db,
  campaignId: string,
): Promise<(CampaignRow & { addon: boolean }) | null> {
  const [row] = await db.sql<(CampaignRow & { addon: boolean })[]>`
    select ${campaignColumns(db)},
      c.mode = 'test' or 'mass_sending' = any(p.addons) as addon
    from campaign c join project p on p.id = c.project_id
    where c.id = ${campaignId} and c.due_at < 'infinity' for update of c skip locked`
  return row ?? null
}

export async function findPaces(db: Db, campaignId: string): Promise<Map<string, number>> {
  const rows = await db.sql<{ instanceId: string; nextAt: Date }[]>`
    select instance_id, next_at from campaign_pace where campaign_id = ${campaignId}`
  return new Map(rows.map(({ instanceId, nextAt }) => [instanceId, nextAt.getTime()]))
}

export async function savePaces(
  db: Db,
  campaignId: string,
  paces: { instanceId: string; nextAt: number }[],
): Promise<void> {
  await db.sql`
    insert into campaign_pace (campaign_id, instance_id, next_at)
    select ${campaignId}, t.instance_id, to_timestamp(t.next_at / 1000.0)
    from unnest(${paces.map((pace) => pace.instanceId)}::text[],
      ${paces.map((pace) => pace.nextAt)}::float8[]) as t(instance_id, next_at)
    on conflict (campaign_id, instance_id) do update set next_at = excluded.next_at`
}

/** How many messages of campaigns each instance has sent since then; no more than `most` are counted. */
export async function countSent(
  db: Db,
  instanceIds: string[],
  since: Date,
  most: number,
): Promise<Map<string, number>> {
  const rows = await db.sql<{ instanceId: string; sent: number }[]>`
    select i.id as instance_id, (select count(*) from (
      select 1 from message m where m.instance_id = i.id and m.campaign_id is not null
        and m.created_at >= ${since} limit ${most}) t) as sent
    from unnest(${instanceIds}::text[]) as i(id)`
  return new Map(rows.map(({ instanceId, sent }) => [instanceId, sent]))
}
