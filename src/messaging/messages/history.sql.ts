import { scopedTo, type Db, type Scope } from '../../platform/db/sql.ts'

/** Returns the oldest message of a conversation that the network has accepted; null if it has none. */
export async function findOldestMessage(
  db: Db,
  scope: Scope,
  conversationId: string,
  now: Date,
): Promise<{ waMessageId: string; fromMe: boolean; at: Date } | null> {
  const [row] = await db.scoped<{ waMessageId: string; fromMe: boolean; at: Date }[]>`
    select wa_message_id, direction = 'outbound' as from_me, created_at as at from message
    where conversation_id = ${conversationId} and ${scopedTo(db, scope, now)}
      and status not in ('queued', 'failed')
    order by created_at, seq limit 1`
  return row ?? null
}
