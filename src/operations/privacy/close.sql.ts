import type { Role } from '../../kernel/permissions.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Language } from '../../kernel/phrases/phrases.ts'

/** Returns the account and role of a user, and locks the account; null if either is deleted. */
export async function findOwner(
  db: Db,
  userId: string,
): Promise<{ accountId: string; company: string; role: Role } | null> {
  const [row] = await db.system<{ accountId: string; company: string; role: Role }[]>`
    select u.account_id, a.company, u.role from app_user u join account a on a.id = u.account_id
    where u.id = ${userId} and u.removed_at is null and a.deleted_at is null for update of a`
  return row ?? null
}

/** An instance with its Project and mode. */
export type LiveInstance = { id: string; projectId: string; mode: 'test' | 'production' }

/** Lists instances of an account that are not deleted, by id after `after`, at most `most`. */
export async function listLive(
  db: Db,
  accountId: string,
  { after, most }: { after: string; most: number },
): Promise<LiveInstance[]> {
  return db.system<LiveInstance[]>`
    select i.id, i.project_id, i.mode from instance i join project p on p.id = i.project_id
    where p.account_id = ${accountId} and i.deleted_at is null and i.id > ${after}
    order by i.id limit ${most}`
}

/** A user of a closed account, who receives a mail about it. */
export type FormerUser = { id: string; email: string; language: Language | null }

/**
 * Closes an account: revokes its keys, cancels its campaigns and scheduled messages, and removes its invitations and
 * webhooks. Returns the removed webhooks and the users.
 */
export async function closeAccount(
  db: Db,
  accountId: string,
  { now, eraseAt }: { now: Date; eraseAt: Date },
): Promise<{ webhookIds: string[]; people: FormerUser[] }> {
  await db.system`update account set deleted_at = ${now}, erase_at = ${eraseAt} where id = ${accountId}`
  await db.system`
    update api_key set revoked_at = coalesce(revoked_at, ${now})
    where project_id in (select id from project where account_id = ${accountId})`
  await db.system`
    update campaign set status = 'CANCELED', pause = null, due_at = 'infinity', finished_at = ${now}
    where project_id in (select id from project where account_id = ${accountId})
      and status not in ('COMPLETED', 'CANCELED')`
  await db.system`
    update scheduled_message set status = 'canceled', due_at = 'infinity', ended_at = ${now}
    where project_id in (select id from project where account_id = ${accountId})
      and status = 'scheduled'`
  await db.system`delete from invitation where account_id = ${accountId}`
  const webhooks = await db.system<{ id: string }[]>`
    update webhook set deleted_at = ${now}, enabled = false, generation = generation + 1
    where project_id in (select id from project where account_id = ${accountId})
      and deleted_at is null returning id`
  const people = await db.system<FormerUser[]>`
    select id, email, appearance->>'language' as language from app_user where account_id = ${accountId} and removed_at is null`
  return { webhookIds: webhooks.map(({ id }) => id), people: [...people] }
}

/**
 * Closes sign-ups from before `before` whose address was never confirmed and that have no valid link and no ledger entry,
 * and frees their addresses. What they hold is erased as for other closed accounts. Returns how many.
 */
export async function closeUnconfirmed(
  db: Db,
  { before, now, most }: { before: Date; now: Date; most: number },
): Promise<number> {
  const closed = await db.system`
    with abandoned as materialized (
      select a.id from account a
      where a.deleted_at is null and a.created_at < ${before}
        and not exists (select from app_user u where u.account_id = a.id and u.confirmed_at is not null)
        and not exists (select from app_user u join email_token t on t.user_id = u.id
          where u.account_id = a.id and t.used_at is null and t.expires_at > ${now})
        and not exists (select from project p join ledger l on l.project_id = p.id where p.account_id = a.id)
      order by a.created_at limit ${most} for update of a skip locked),
    freed as (
      update app_user u set removed_at = coalesce(removed_at, ${now}), email = 'removido:' || u.id, name = null
      from abandoned where u.account_id = abandoned.id and u.confirmed_at is null)
    update account a set deleted_at = ${now}, erase_at = ${now} from abandoned where a.id = abandoned.id returning a.id`
  return closed.length
}
