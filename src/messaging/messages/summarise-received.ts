import { kindNamed } from '../../model/kinds/index.ts'
import type { MessageRow } from '../../model/message.ts'

/** A time that a contact waited for an answer. */
type Wait = { askedAt: Date; answeredAt: Date }
/** What a batch of received messages changes in one conversation. */
export type ConversationNews = {
  conversationId: string
  /** The newest message and its time. */
  messageId: string
  at: Date
  unread: number
  /** The contact's first message before `answeredAt`, or of all; it begins a wait unless one has begun before. */
  askedAt: Date | null
  /** The first message to the contact, which ends the wait; null if there is none. */
  answeredAt: Date | null
  /** Further waits that begin and end in this batch. */
  waits: Wait[]
  /** When the wait after the last message to the contact began; null if there is no such message, or no wait. */
  askedAgainAt: Date | null
}

/** Silent kinds, such as reactions, do not count as unread. */
const countsAsUnread = ({ direction, type }: MessageRow): boolean =>
  direction === 'inbound' && !kindNamed(type)?.silent

const byTime = (one: MessageRow, other: MessageRow) =>
  one.createdAt.getTime() - other.createdAt.getTime()

/**
 * Sums up received messages by conversation, ordered by id so that concurrent batches lock them in one order. Messages
 * in `replaced` were stored before and count no second time.
 */
export function summariseReceived(
  rows: MessageRow[],
  replaced: ReadonlySet<string>,
): ConversationNews[] {
  const entries = new Map<string, ConversationNews>()
  for (const row of rows.toSorted(byTime)) {
    const { conversationId, id: messageId, createdAt: at } = row
    const news = entries.get(conversationId) ?? {
      conversationId,
      messageId,
      at,
      unread: 0,
      waits: [],
      askedAt: null,
      answeredAt: null,
      askedAgainAt: null,
    }
    entries.set(conversationId, news)
    Object.assign(news, { messageId, at })
    if (replaced.has(row.id)) continue
    if (countsAsUnread(row)) {
      news.unread += 1
      if (news.answeredAt) news.askedAgainAt ??= at
      else news.askedAt ??= at
    } else if (row.direction === 'outbound') {
      if (news.askedAgainAt) news.waits.push({ askedAt: news.askedAgainAt, answeredAt: at })
      news.answeredAt ??= at
      news.askedAgainAt = null
    }
  }
  return [...entries.values()].sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
}
