import type { Db, Scope } from '../../platform/db/sql.ts'
import { scopedTo } from '../../platform/db/sql.ts'
import { SAO_PAULO } from '../../kernel/sao-paulo.ts'

/** Message counts of a number in a period. */
export type HealthCounts = {
  counted: number
  sent: number
  received: number
  /** Sent more than an hour ago, and how many of those arrived. */
  settled: number
  delivered: number
  restricted: number
  wrongNumbers: number
  newChats: number
  newChatsAnswered: number
  mostNewChatsInADay: number
}

/**
 * Counts the newest `most` messages of an instance since a time. A chat is new if its first message is in the period and
 * was sent by the account; it is answered if the other side wrote in it.
 */
export async function countForHealth(
  db: Db,
  scope: Scope,
  instanceId: string,
  period: { since: Date; settledBefore: Date; most: number; now: Date },
): Promise<HealthCounts | null> {
  const { since, settledBefore, most, now } = period
  const [row] = await db.scoped<HealthCounts[]>`
    with recent as materialized (
      select direction, status, error ->> 'code' as code, conversation_id, chat_type, created_at
      from message
      where ${scopedTo(db, scope, now)} and instance_id = ${instanceId} and created_at >= ${since}
      order by created_at desc, seq desc limit ${most}),
    -- Posts are delivered to no one in particular.
    ended as (select * from recent where direction = 'outbound' and status <> 'queued'
      and chat_type in ('direct', 'group')),
    chats as (
      select distinct conversation_id from ended where chat_type = 'direct' and status <> 'failed'),
    begun as (
      select c.conversation_id, first.created_at < ${settledBefore} as settled,
        (first.created_at at time zone ${SAO_PAULO}::text)::date as day,
        exists (select from message m where m.conversation_id = c.conversation_id
          and m.direction = 'inbound') as answered
      from chats c cross join lateral (
        select m.direction, m.created_at from message m where m.conversation_id = c.conversation_id
        order by m.created_at, m.seq limit 1) first
      where first.direction = 'outbound' and first.created_at >= ${since})
    select (select count(*) from recent) as counted,
      (select count(*) from recent where direction = 'inbound') as received,
      count(*) as sent,
      count(*) filter (where created_at < ${settledBefore} and status <> 'failed') as settled,
      count(*) filter (where created_at < ${settledBefore}
        and status in ('delivered', 'read', 'played')) as delivered,
      count(*) filter (where code = 'RESTRICTED') as restricted,
      count(*) filter (where code = 'NUMBER_NOT_ON_NETWORK') as wrong_numbers,
      (select count(*) from begun where settled) as new_chats,
      (select count(*) from begun where settled and answered) as new_chats_answered,
      coalesce((select max(n) from (select count(*) as n from begun group by day) d), 0) as most_new_chats_in_a_day
    from ended`
  return row ?? null
}
