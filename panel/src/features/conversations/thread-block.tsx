import { Fragment, memo } from 'react'
import type { Call, Message, Note } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { dayInSaoPaulo, messengerDay } from '../../ui/time.tsx'
import { Bubble, type Reactions, type ThreadContext } from './bubble.tsx'
import { CallLine } from './call-line.tsx'
import { NoteBubble } from './note-bubble.tsx'

/** Messages of one sender within this time are drawn as one group. */
const GROUP_MS = 5 * 60_000

/** What is drawn between the messages: a note of the team or a call. */
export type Aside = { id: string; createdAt: string } & (
  { note: Note; call?: never; message?: never } | { call: Call; note?: never; message?: never }
)
/** An item of the thread, by time. */
export type Entry =
  { id: string; createdAt: string; message: Message; note?: never; call?: never } | Aside

/** Whether a message continues the group of the message before it. */
function continuesGroup(message: Message, before: Message | undefined): boolean {
  if (before?.direction !== message.direction || before.sentBy !== message.sentBy) return false
  if (before.from.phone !== message.from.phone || before.from.lid !== message.from.lid) return false
  return Date.parse(message.createdAt) - Date.parse(before.createdAt) < GROUP_MS
}

/**
 * One page of a thread. Far from the window it is a spacer: a conversation may have tens of
 * thousands of messages.
 */
export const ThreadBlock = memo(function ThreadBlock(props: {
  id: string
  entries: Entry[]
  /** The entry before the first one. */
  before: Entry | undefined
  /** Its height in pixels while it is not drawn; null draws it. */
  height: number | null
  reactions: Reactions
  instanceId: string
  wanted: string | undefined
  /** The id of the first message that was unread when the conversation was opened. */
  firstUnread: string | undefined
  onQuote: (message: Message) => void
  thread: ThreadContext
}) {
  const { id, entries, before: previous, height, reactions, instanceId, wanted } = props
  const { firstUnread, onQuote, thread } = props
  if (height !== null) return <ol className="bubbles" data-page={id} style={{ height }} />
  return (
    <ol className="bubbles" data-page={id}>
      {entries.map((entry, index) => {
        const before = entries[index - 1] ?? previous
        const { createdAt, message, note, call } = entry
        const day = dayInSaoPaulo(createdAt)
        const isNewDay = !before || dayInSaoPaulo(before.createdAt) !== day
        return (
          <Fragment key={entry.id}>
            {isNewDay && (
              <li className="thread-day">
                <span>{messengerDay(createdAt)}</span>
              </li>
            )}
            {entry.id === firstUnread && (
              <li className="thread-unread">
                <span>{t.conversations.unreadBelow}</span>
              </li>
            )}
            {note && <NoteBubble note={note} instanceId={instanceId} />}
            {call && <CallLine call={call} />}
            {message && (
              <Bubble
                message={message}
                wanted={message.id === wanted}
                continues={
                  !isNewDay && entry.id !== firstUnread && continuesGroup(message, before?.message)
                }
                reactions={reactions.get(message.waMessageId) ?? NONE}
                onQuote={onQuote}
                thread={thread}
              />
            )}
          </Fragment>
        )
      })}
    </ol>
  )
})

const NONE: never[] = []
