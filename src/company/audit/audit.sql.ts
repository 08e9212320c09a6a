import { likePattern, type Db } from '../../platform/db/sql.ts'
import type { Mode } from '../../kernel/config/config.ts'
import { OPERATOR, OPERATOR_PREFIX } from '../../kernel/principal.ts'

/** An entry to record. `actor` and `object` are ids; `before` and `after` hold what changed. */
export type AuditEntry = {
  /** `operator`, `operator/<user id>`, or the id of a user or key. */
  actor: string
  /** The action, such as `project.suspend`. */
  action: string
  /** The id of the affected object. */
  object: string
  before: Record<string, unknown> | null
  after: Record<string, unknown> | null
  /** The IP address of the request. */
  address?: string | null
  mode?: Mode | null
}

/** A stored entry. */
export type AuditItem = Required<AuditEntry> & { id: number; at: Date }

/** Lists entries, newest first, of one object or of all. */
export async function listAudit(
  db: Db,
  object: string | null,
  limit: number,
): Promise<AuditItem[]> {
  return db.system<AuditItem[]>`
    select id, at, actor, action, object, before, after, address, mode from audit
    where ${object}::text is null or object = ${object}
    order by id desc limit ${limit}`
}

/**
 * `q` is a substring of the action, the object's id or name, the actor's name or the IP address; entries of `actions` match
 * it, too.
 */
export type AuditFilter = { q: string | null; actions: string[]; mode: Mode | null }
/** A stored entry with the names of its actor and object, if they have one. */
export type AccountAuditItem = AuditItem & { actorName: string | null; objectName: string | null }

/** The name of the object of an entry, given by its alias: the current one, or the one that the entry stored. */
const objectNameOf = ({ sql }: Db, alias: 'n' | 'f') => {
  const entry = sql(alias)
  return sql`coalesce(
    (select name from webhook where id = ${entry}.object), (select name from instance where id = ${entry}.object),
    (select name from api_key where id = ${entry}.object),
    (select email from app_user where id = ${entry}.object and removed_at is null),
    (select name from campaign where id = ${entry}.object),
    case when not starts_with(${entry}.object, 'usr_') then
      coalesce(${entry}.after ->> 'name', ${entry}.before ->> 'name', ${entry}.after ->> 'email',
        ${entry}.before ->> 'email', ${entry}.after ->> 'shortcut', ${entry}.before ->> 'shortcut') end)`
}

/**
 * Lists actions by and on the members and objects of the user's account, newest first. The log
 * stores ids. An object that no longer exists has the name that its entry stored, or null; a removed member has none.
 * Companies do not see which operator acted.
 */
export async function listAccountAudit(
  db: Db,
  userId: string,
  page: AuditFilter & { limit: number; offset: number },
): Promise<AccountAuditItem[]> {
  const like = page.q === null ? null : likePattern(page.q)
  return db.system<AccountAuditItem[]>`
    with concerned as (
      select o.id from app_user me join account_object o on o.account_id = me.account_id
      where me.id = ${userId}),
    entries as (
      select a.* from concerned c join audit a on a.object = c.id
      union
      select a.* from concerned c join audit a on a.actor = c.id),
    found as (
      select id, at, action, object, before, after, mode,
        case when starts_with(actor, ${OPERATOR_PREFIX}) then ${OPERATOR.actor}::text else actor end as actor,
        case when not starts_with(actor, ${OPERATOR_PREFIX}) then address end as address
      from entries),
    named as (
      select f.*, coalesce(u.email, k.name) as actor_name
      from found f
      left join app_user u on u.id = f.actor and u.removed_at is null
      left join api_key k on k.id = f.actor
      where (${page.mode}::text is null or f.mode = ${page.mode})
        and (${like}::text is null or f.action ilike ${like} or f.object ilike ${like}
          or u.email ilike ${like} or k.name ilike ${like} or f.address ilike ${like}
          or f.action = any(${page.actions}::text[]) or ${objectNameOf(db, 'f')} ilike ${like})
      order by f.id desc limit ${page.limit} offset ${page.offset})
    select n.id, n.at, n.actor, n.actor_name, n.action, n.object, n.before, n.after, n.address, n.mode,
      ${objectNameOf(db, 'n')} as object_name
    from named n order by n.id desc`
}

/** Inserts an entry. */
export async function insertAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  const { actor, action, object, before, after, address = null, mode = null } = entry
  await db.system`
    insert into audit (at, actor, action, object, before, after, address, mode)
    values (${now}, ${actor}, ${action}, ${object},
      ${before ? db.sql.json(before as never) : null}, ${after ? db.sql.json(after as never) : null},
      ${address}, ${mode})`
}
