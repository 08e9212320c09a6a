import type { Db, Scope } from '../../platform/db/sql.ts'
import {
  movingProjects,
  accessGranted,
  scopedTo,
  ownedBy,
  ownerOf,
  projectOf,
} from '../../platform/db/sql.ts'

/** A webhook with its last success and failure. */
export type WebhookRow = {
  id: string
  name: string
  url: string
  events: string[]
  enabled: boolean
  lastSuccessAt: Date | null
  lastFailureAt: Date | null
  lastFailureReason: string | null
  createdAt: Date
} & WebhookOptions
/** The options of a webhook; null filters pass everything. */
export type WebhookOptions = {
  include: string[]
  onlyInstances: string[] | null
  onlyChatTypes: string[] | null
  onlyDirections: string[] | null
  onlyKinds: string[] | null
  media: 'link' | null
  headerNames: string[]
  previousSecretUntil: Date | null
}

const options = (db: Db) =>
  db.sql`include, only_instances, only_chat_types, only_directions, only_kinds, media, header_names, previous_secret_until`
const columns = (db: Db) => db.sql`id, name, url, events, enabled, created_at, ${options(db)},
  last_success_at, last_failure_at, last_failure_reason`

/** Inserts a webhook; returns false, without inserting, if the scope already has `most`. */
export async function insertWebhook(
  db: Db,
  scope: Scope,
  webhook: {
    id: string
    name: string
    url: string
    events: string[]
    secretSealed: Buffer
    headersSealed: Buffer | null
    now: Date
    most: number
  } & WebhookOptions,
): Promise<boolean> {
  // The lock on the project's row serializes creations, so that two concurrent ones cannot exceed the limit.
  await db.scoped`
    select 1 from project where ${accessGranted(db, scope, webhook.now)} and id = ${projectOf(db, scope)}
    for no key update`
  const rows = await db.scoped`
    insert into webhook (id, project_id, mode, name, url, events, secret_sealed, created_at,
      include, only_instances, only_chat_types, only_directions, only_kinds, media, header_names, headers_sealed)
    select ${webhook.id}, ${ownerOf(db, scope)}, ${webhook.name}, ${webhook.url},
      ${webhook.events}::text[], ${webhook.secretSealed}, ${webhook.now}::timestamptz,
      ${webhook.include}::text[], ${webhook.onlyInstances}::text[], ${webhook.onlyChatTypes}::text[],
      ${webhook.onlyDirections}::text[], ${webhook.onlyKinds}::text[], ${webhook.media}::text, ${webhook.headerNames}::text[], ${webhook.headersSealed}::bytea
    where (select count(*) from webhook
      where ${ownedBy(db, scope)} and deleted_at is null) < ${webhook.most}
    returning id`
  return rows.length > 0
}

/** Lists a page of the webhooks of a scope, newest first; all of them if `limit` is null. */
export async function listWebhooks(
  db: Db,
  scope: Scope,
  page: { limit: number | null; offset: number; now: Date },
): Promise<WebhookRow[]> {
  return db.scoped<WebhookRow[]>`
    select ${columns(db)}
    from webhook left join webhook_status on webhook_id = id
    where ${scopedTo(db, scope, page.now)} and deleted_at is null
    order by id desc limit ${page.limit} offset ${page.offset}`
}

/** Returns a webhook, or null if it is not in the scope. */
export async function findWebhook(
  db: Db,
  scope: Scope,
  webhookId: string,
  now: Date,
): Promise<WebhookRow | null> {
  const [row] = await db.scoped<WebhookRow[]>`
    select ${columns(db)}
    from webhook left join webhook_status on webhook_id = id
    where ${scopedTo(db, scope, now)} and id = ${webhookId} and deleted_at is null`
  return row ?? null
}

/**
 * Pauses or resumes a webhook. A change increments the generation, which drops pending deliveries; setting the current
 * state again changes nothing. Returns null if the webhook is not in the scope.
 */
export async function setWebhookEnabled(
  db: Db,
  scope: Scope,
  webhookId: string,
  enabled: boolean,
  now: Date,
): Promise<(WebhookRow & { changed: boolean }) | null> {
  const [row] = await db.scoped<(WebhookRow & { changed: boolean })[]>`
    with was as (
      select id, enabled <> ${enabled} as changed from webhook
      where ${scopedTo(db, scope, now)} and id = ${webhookId} and deleted_at is null
      for no key update),
    changed as (
      update webhook w set
        generation = w.generation + case when was.changed then 1 else 0 end,
        enabled = ${enabled}
      from was where w.id = was.id
      returning w.*, was.changed)
    select changed.id, name, url, events, enabled, created_at, changed, ${options(db)}, last_success_at, last_failure_at, last_failure_reason
    from changed left join webhook_status on webhook_id = id`
  return row ?? null
}

/**
 * Marks a webhook as removed: erases its secret, and drops pending deliveries by incrementing the generation. Returns
 * whether it existed in the scope.
 */
export async function removeWebhook(
  db: Db,
  scope: Scope,
  webhookId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    update webhook set deleted_at = ${now}, enabled = false, generation = generation + 1,
      secret_sealed = '', headers_sealed = null, previous_secret_sealed = null
    where ${scopedTo(db, scope, now)} and id = ${webhookId} and deleted_at is null returning id`
  return rows.length > 0
}

/**
 * Replaces the secret; the previous one keeps signing until `until`. Returns the webhook, or null if it is not in the
 * scope, or if an earlier one still signs and `until` is not null.
 */
export async function replaceSecret(
  db: Db,
  scope: Scope,
  webhookId: string,
  change: { secretSealed: Buffer; until: Date | null; now: Date },
): Promise<WebhookRow | null> {
  const { secretSealed, until, now } = change
  const [row] = await db.scoped<WebhookRow[]>`
    with changed as (
      update webhook set secret_sealed = ${secretSealed},
        previous_secret_sealed = case when ${until}::timestamptz is null then null else secret_sealed end,
        previous_secret_until = ${until}::timestamptz
      where ${scopedTo(db, scope, now)} and id = ${webhookId} and deleted_at is null
        and (${until}::timestamptz is null or previous_secret_until is null or previous_secret_until <= ${now})
      returning *)
    select ${columns(db)} from changed left join webhook_status on webhook_id = id`
  return row ?? null
}

/** Returns whether the webhook exists in the scope. */
export async function webhookExists(
  db: Db,
  scope: Scope,
  webhookId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    select id from webhook
    where ${scopedTo(db, scope, now)} and id = ${webhookId} and deleted_at is null`
  return rows.length > 0
}

/** A webhook as deliveries need it. */
export type TargetRow = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  url: string
  enabled: boolean
  generation: number
  /** The Project is moving to another installation, so its deliveries wait. */
  moves: boolean
  media: 'link' | null
  secretSealed: Buffer
  headersSealed: Buffer | null
  previousSecretSealed: Buffer | null
  previousSecretUntil: Date | null
}

/** Returns those of these webhooks that still exist. Used by deliveries, which have no key to check. */
export async function findTargets(db: Db, webhookIds: string[]): Promise<TargetRow[]> {
  return db.system<TargetRow[]>`
    select id, project_id, mode, url, enabled, generation, media, secret_sealed, headers_sealed,
      previous_secret_sealed, previous_secret_until, project_id = any(${movingProjects(db)}) as moves
    from webhook
    where id = any(${webhookIds}) and deleted_at is null`
}
