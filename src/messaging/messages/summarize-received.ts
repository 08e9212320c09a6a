import { kindNamed } from '../../model/kinds/index.ts'
import type { MessageExtras, Referral } from '../../model/details.schemas.ts'
import type { MessageRow } from '../../model/message.ts'

/** WhatsApp's timestamps have a resolution of one second, and clocks differ slightly. */
const TOLERANCE_MS = 2000

/** The state of a conversation before a batch of messages. */
export type ConversationBefore = { lastMessageAt: Date | null; waitingSince: Date | null }
/** The changes that a batch of received messages makes to one conversation. */
export type ConversationChanges = {
  conversationId: string
  /** The newest message and its time. */
  messageId: string
  at: Date
  unread: number
  /** Whether a message for the team has arrived, which reopens it. */
  hasNew: boolean
  /** Since when the contact has been waiting for an answer; null if they are not. */
  waitingSince: Date | null
  /** The advertisement that the first message with one came from; null if none did. */
  referral: Referral | null
  /** The waits that ended. */
  waits: { askedAt: Date; answeredAt: Date }[]
}

const referralOf = ({ content }: MessageRow): Referral | null =>
  (content as MessageExtras).referral ?? null

const isSilent = ({ type }: MessageRow): boolean => kindNamed(type)?.silent === true

const byTime = (one: MessageRow, other: MessageRow) =>
  one.createdAt.getTime() - other.createdAt.getTime()

/** Starts or ends a wait with a message. A message older than the conversation's last one does not start one. */
function updateWait(news: ConversationChanges, row: MessageRow, lastMessageAt: Date | null): void {
  const { direction, createdAt: at, chatType } = row
  const { waitingSince } = news
  if (chatType !== 'direct') return
  if (direction === 'inbound') {
    const isLate = lastMessageAt !== null && at.getTime() < lastMessageAt.getTime() - TOLERANCE_MS
    if (waitingSince === null && !isLate) news.waitingSince = at
  } else if (waitingSince !== null && at >= waitingSince) {
    news.waits.push({ askedAt: waitingSince, answeredAt: at })
    news.waitingSince = null
  }
}

/** Takes back what a message counted for before it turned out to be of a silent kind. */
function takeBack(news: ConversationChanges, row: MessageRow, lastMessageAt: Date | null): void {
  const { direction, readAt, createdAt: at } = row
  if (direction !== 'inbound') return
  if (readAt === null) news.unread -= 1
  const isLast = lastMessageAt?.getTime() === at.getTime()
  if (isLast && news.waitingSince?.getTime() === at.getTime()) news.waitingSince = null
}

/**
 * Summarizes received messages by conversation, ordered by id so that concurrent batches
 * lock them in one order. Messages in `replaced` were stored before and are not counted
 * again. Silent kinds, such as reactions, neither count as unread nor start or end a wait: one
 * that was not readable before is taken back.
 */
export function summarizeReceived(
  rows: MessageRow[],
  replaced: ReadonlySet<string>,
  before: ReadonlyMap<string, ConversationBefore>,
): ConversationChanges[] {
  const entries = new Map<string, ConversationChanges>()
  for (const row of rows.toSorted(byTime)) {
    const { conversationId, id: messageId, createdAt: at } = row
    const { lastMessageAt = null, waitingSince = null } = before.get(conversationId) ?? {}
    const news = entries.get(conversationId) ?? {
      conversationId,
      unread: 0,
      hasNew: false,
      waitingSince,
      messageId,
      at,
      referral: null,
      waits: [],
    }
    entries.set(conversationId, news)
    Object.assign(news, { messageId, at })
    news.referral ??= referralOf(row)
    if (replaced.has(row.id)) {
      if (isSilent(row)) takeBack(news, row, lastMessageAt)
      continue
    }
    if (isSilent(row)) continue
    if (row.direction === 'inbound') {
      news.unread += 1
      news.hasNew = true
    }
    updateWait(news, row, lastMessageAt)
  }
  return [...entries.values()].sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
}

/** Summarizes history messages by conversation; only the last message may change. Ordered like received ones. */
export function summarizeHistory(
  rows: (MessageRow & { conversationWaitingSince: Date | null })[],
): ConversationChanges[] {
  const entries = new Map<string, ConversationChanges>()
  for (const row of rows.toSorted(byTime)) {
    const { conversationId, id: messageId, createdAt: at } = row
    const first = entries.get(conversationId)?.referral ?? null
    entries.set(conversationId, {
      conversationId,
      messageId,
      at,
      unread: 0,
      hasNew: false,
      waitingSince: row.conversationWaitingSince,
      referral: first ?? referralOf(row),
      waits: [],
    })
  }
  return [...entries.values()].sort((a, b) => (a.conversationId < b.conversationId ? -1 : 1))
}
