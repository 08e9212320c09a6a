// Statements that mark a conversation as unread.
import { scopedTo, type Db, type Scope, type ScopeFragment } from '../../platform/db/sql.ts'
import { SILENT_TYPES } from '../../model/kinds/index.ts'

/** The newest received message of a conversation that counts as unread. */
const lastReceived = (
  db: Db,
  scope: Scope,
  conversationId: string,
  now: Date,
): ScopeFragment => db.sql`
  select id, seq, created_at, conversation_id, read_at from message
  where ${scopedTo(db, scope, now)} and conversation_id = ${conversationId} and direction = 'inbound'
    and type <> all(${SILENT_TYPES}::text[])
  order by created_at desc, seq desc limit 1`

/**
 * Makes the newest received message of a conversation unread for one member (`viewer`), or for all without one. Returns
 * false if nothing was received.
 */
export async function markUnread(
  db: Db,
  scope: Scope,
  conversationId: string,
  viewer: string | null,
  now: Date,
): Promise<boolean> {
  const last = lastReceived(db, scope, conversationId, now)
  const rows = await (viewer === null
    ? db.scoped`
        with last as (${last}),
        marked as (
          update message m set read_at = null from last l
          where ${scopedTo(db, scope, now, 'm')} and m.id = l.id and m.created_at = l.created_at and m.read_at is not null
          returning m.conversation_id),
        counted as (
          update conversation c set unread_count = c.unread_count + 1 from marked m where c.id = m.conversation_id)
        select 1 from last`
    : db.scoped`
        with last as (${last}),
        behind as (
          insert into conversation_behind as b (conversation_id, user_id, since, first_seq)
          select l.conversation_id, ${viewer}, l.created_at, l.seq
          from last l join conversation c on c.id = l.conversation_id
          -- What the team has not read is unread for this member, too, with its own count.
          where c.unread_count = 0
          on conflict (conversation_id, user_id) do update
            set since = least(b.since, excluded.since), first_seq = least(b.first_seq, excluded.first_seq))
        select 1 from last`)
  return rows.length > 0
}
