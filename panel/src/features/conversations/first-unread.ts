import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Conversation, Message } from '../../data/api-types.ts'
import type { ThreadPage } from './use-thread-pages.ts'

/** What was unread before the user saw it: how many messages, up to which one. */
export type Unread = { count: number; until: string }

/** The kinds of messages that never count as unread. */
const SILENT: ReadonlySet<Message['type']> = new Set(['reaction', 'pollVote'])

/** The id of the first unread message; undefined while it is not loaded. `messages` are in order, oldest first. */
export function findFirstUnread(messages: Message[], { count, until }: Unread): string | undefined {
  const end = messages.findLastIndex(({ waMessageId }) => waMessageId === until)
  return messages
    .slice(0, end + 1)
    .filter(({ direction, type }) => direction === 'inbound' && !SILENT.has(type))
    .at(-count)?.id
}

/**
 * The id of the first message that was unread when the user opened the conversation or came back to its tab; undefined
 * if none was, or while it is not loaded. `clear` forgets it.
 */
export function useFirstUnread(conversation: Conversation, pages: ThreadPage[]) {
  const { unreadCount, lastMessage } = conversation
  const [unread, setUnread] = useState(() => unreadOf(conversation))
  const isRead = useRef(unreadCount === 0)
  useEffect(() => {
    // Only the first message that arrives while the page is hidden: the count includes those after it.
    if (document.hidden && unreadCount > 0 && isRead.current)
      setUnread(unreadOf({ unreadCount, lastMessage }))
    isRead.current = unreadCount === 0
  }, [unreadCount, lastMessage])
  const first = useMemo(
    () =>
      unread &&
      findFirstUnread(
        pages.flatMap(({ messages }) => messages),
        unread,
      ),
    [pages, unread],
  )
  return { first: first ?? undefined, clear: useCallback(() => setUnread(null), []) }
}

const unreadOf = ({
  unreadCount: count,
  lastMessage,
}: Pick<Conversation, 'unreadCount' | 'lastMessage'>): Unread | null =>
  count > 0 && lastMessage ? { count, until: lastMessage.waMessageId } : null
