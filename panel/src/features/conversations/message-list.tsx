import { ArrowDown } from 'lucide-react'
import { Fragment, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import type { Message, Note } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { dayInSaoPaulo, messengerDay } from '../../ui/time.tsx'
import { Bubble, reactionsTo } from './bubble.tsx'
import { NoteBubble } from './note-bubble.tsx'

const NEAR_END_PX = 120
/** Messages of one sender within this time are drawn as one group. */
const GROUP_MS = 5 * 60_000

/** Whether a message continues the group of the message before it. */
function continuesGroup(message: Message, before: Message | undefined): boolean {
  if (before?.direction !== message.direction) return false
  if (before.from.phone !== message.from.phone || before.from.lid !== message.from.lid) return false
  return Date.parse(message.createdAt) - Date.parse(before.createdAt) < GROUP_MS
}

/** What stands in the thread, by time: messages of both sides, and notes of the team between them. */
type Entry = { id: string; createdAt: string } & (
  { message: Message; note?: never } | { note: Note; message?: never }
)

/** Merges notes into the messages by time; notes older than the oldest loaded message wait for its page. */
function mergeNotes(messages: Message[], notes: Note[], complete: boolean): Entry[] {
  const since = complete ? '' : (messages[0]?.createdAt ?? '')
  const entries: Entry[] = [
    ...messages.map((message) => ({ id: message.id, createdAt: message.createdAt, message })),
    ...notes
      .filter(({ createdAt }) => createdAt >= since)
      .map((note) => ({ id: note.id, createdAt: note.createdAt, note })),
  ]
  // Stable, so that messages keep their order within one millisecond.
  return notes.length === 0
    ? entries
    : entries.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
}

/**
 * The messages and notes of a conversation, oldest first. Stays at the end while it is there, also when pictures grow, and goes
 * there after the user's own message; otherwise a button reports new ones.
 */
export function MessageList(props: {
  messages: Message[]
  notes: Note[]
  instanceId: string
  more: (() => void) | null
  /** The id of a message to show in the middle, once it is loaded. */
  wanted: string | undefined
  onQuote: (message: Message) => void
  /** True from when the user sends a message here until it is shown. */
  sent: RefObject<boolean>
}) {
  const { messages, notes, instanceId, more, wanted, onQuote, sent } = props
  const frame = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const [hasNew, setHasNew] = useState(false)
  const reactions = messages.filter(({ reaction }) => reaction)
  const shown = mergeNotes(
    messages.filter(({ reaction }) => !reaction),
    notes,
    more === null,
  )
  const last = shown.at(-1)
  const goToEnd = () => {
    const element = frame.current
    if (element) element.scrollTop = element.scrollHeight
  }
  const seen = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const isFirst = seen.current === undefined
    if (last?.id === seen.current) return
    const isOwn = sent.current && (last?.note ?? last?.message.direction === 'outbound')
    if (isOwn) sent.current = false
    seen.current = last?.id
    if (isFirst || isOwn || atEnd.current) goToEnd()
    else setHasNew(true)
  }, [last, sent])
  const isShown = wanted !== undefined && messages.some(({ id }) => id === wanted)
  useLayoutEffect(() => {
    if (!isShown) return
    atEnd.current = false
    frame.current?.querySelector('[data-wanted=true]')?.scrollIntoView({ block: 'center' })
  }, [wanted, isShown])
  // Pictures, the reply form and the window change sizes after the messages are rendered.
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      if (atEnd.current) goToEnd()
    })
    observer.observe(element)
    for (const child of element.children) observer.observe(child)
    return () => observer.disconnect()
  }, [])
  return (
    <div className="thread-frame">
      <div
        className="thread"
        tabIndex={0}
        role="log"
        aria-label={t.messages.title}
        ref={frame}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
          if (atEnd.current) setHasNew(false)
        }}
      >
        <ol className="bubbles">
          {more && (
            <li className="thread-older">
              <button type="button" className="button" onClick={more}>
                {t.conversations.older}
              </button>
            </li>
          )}
          {shown.map((entry, index) => {
            const before = shown[index - 1]
            const { id, createdAt, message, note } = entry
            const day = dayInSaoPaulo(createdAt)
            const isNewDay = !before || dayInSaoPaulo(before.createdAt) !== day
            return (
              <Fragment key={id}>
                {isNewDay && (
                  <li className="thread-day">
                    <span>{messengerDay(createdAt)}</span>
                  </li>
                )}
                {note ? (
                  <NoteBubble note={note} instanceId={instanceId} />
                ) : (
                  <Bubble
                    message={message}
                    wanted={message.id === wanted}
                    continues={!isNewDay && continuesGroup(message, before?.message)}
                    reactions={reactionsTo(message, reactions)}
                    onQuote={() => onQuote(message)}
                  />
                )}
              </Fragment>
            )
          })}
        </ol>
      </div>
      {hasNew && (
        <button type="button" className="button thread-new" onClick={goToEnd}>
          {t.conversations.newBelow} <ArrowDown size={16} aria-hidden />
        </button>
      )}
    </div>
  )
}
