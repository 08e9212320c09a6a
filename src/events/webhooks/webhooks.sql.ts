import type { Db, Scope } from '../../platform/db/sql.ts'
import { granted, within, ownedBy, ownerOf, projectOf } from '../../platform/db/sql.ts'

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
}

/** Makes the webhook unless the scope has `most` already; false then. */
export async function insertWebhook(
  db: Db,
  scope: Scope,
  webhook: {
    id: string
    name: string
    url: string
    events: string[]
    secretSealed: Buffer
    now: Date
    most: number
  },
): Promise<boolean> {
  // The project's row serialises makers of webhooks, so that two at once cannot both take the last place.
  await db.scoped`
    select 1 from project where ${granted(db, scope, webhook.now)} and id = ${projectOf(db, scope)}
    for no key update`
  const rows = await db.scoped`
    insert into webhook (id, project_id, mode, name, url, events, secret_sealed, created_at)
    select ${webhook.id}, ${ownerOf(db, scope)}, ${webhook.name}, ${webhook.url},
      ${webhook.events}::text[], ${webhook.secretSealed}, ${webhook.now}::timestamptz
    where (select count(*) from webhook
      where ${ownedBy(db, scope)} and deleted_at is null) < ${webhook.most}
    returning id`
  return rows.length > 0
}

export async function listWebhooks(
  db: Db,
  scope: Scope,
  page: { limit: number | null; offset: number; now: Date },
): Promise<WebhookRow[]> {
  return db.scoped<WebhookRow[]>`
    select id, name, url, events, enabled, created_at, last_success_at, last_failure_at,
      last_failure_reason
    from webhook left join webhook_status on webhook_id = id
    where ${within(db, scope, page.now)} and deleted_at is null
    order by id desc limit ${page.limit} offset ${page.offset}`
}

/**
 * Pauses or resumes. A change counts the generation up, which drops what waits for it; asking for what is
 * already so changes nothing.
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
      where ${within(db, scope, now)} and id = ${webhookId} and deleted_at is null
      for no key update),
    changed as (
      update webhook w set
        generation = w.generation + case when was.changed then 1 else 0 end,
        enabled = ${enabled}
      from was where w.id = was.id
      returning w.id, w.name, w.url, w.events, w.enabled, w.created_at, was.changed)
    select changed.*, last_success_at, last_failure_at, last_failure_reason
    from changed left join webhook_status on webhook_id = id`
  return row ?? null
}

/** Removes: the secret is forgotten and what waits is dropped by its generation. */
export async function removeWebhook(
  db: Db,
  scope: Scope,
  webhookId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    update webhook set deleted_at = ${now}, enabled = false, generation = generation + 1,
      secret_sealed = ''
    where ${within(db, scope, now)} and id = ${webhookId} and deleted_at is null returning id`
  return rows.length > 0
}

export async function webhookExists(
  db: Db,
  scope: Scope,
  webhookId: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.scoped`
    select id from webhook
    where ${within(db, scope, now)} and id = ${webhookId} and deleted_at is null`
  return rows.length > 0
}

export type TargetRow = {
  id: string
  projectId: string
  mode: 'test' | 'production'
  url: string
  enabled: boolean
  generation: number
  secretSealed: Buffer
}

/** The webhooks that still exist, for those who deliver. */
export async function findTargets(db: Db, webhookIds: string[]): Promise<TargetRow[]> {
  return db.system<TargetRow[]>`
    select id, project_id, mode, url, enabled, generation, secret_sealed from webhook
    where id = any(${webhookIds}) and deleted_at is null`
}
