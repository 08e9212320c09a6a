import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useStayAtEnd } from '../../ui/use-stay-at-end.ts'
import { reactionsIn, type Reactions, type ThreadContext } from './bubble.tsx'
import { ThreadBlock, type Aside, type Entry } from './thread-block.tsx'
import type { ThreadPage } from './use-thread-pages.ts'

/** How far outside the viewport pages are rendered, relative to its height. */
const DRAWN_AROUND = '150%'
/** How far ahead of the viewport older messages are loaded. */
const LOADED_AHEAD = '200%'

/** The entries of each page, so that a page that did not change is not drawn again. */
const entriesOf = new WeakMap<Message[], Entry[]>()
const toEntries = (messages: Message[]): Entry[] =>
  messages
    .filter(({ reaction }) => !reaction)
    .map((message) => ({ id: message.id, createdAt: message.createdAt, message }))

type Block = { id: string; entries: Entry[]; before: Entry | undefined }

/**
 * Puts notes and calls among the messages of their time. Reactions are drawn at their messages. What is older than the
 * oldest loaded message waits for its page, unless all are loaded.
 */
function toBlocks(pages: ThreadPage[], asides: Aside[], complete: boolean): Block[] {
  const left = asides.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  const oldest = pages.flatMap(({ messages }) => messages.slice(0, 1))[0]
  while (!complete && oldest && left[0] && left[0].createdAt < oldest.createdAt) left.shift()
  let before: Entry | undefined
  return pages.map(({ id, messages }, index) => {
    const next = pages[index + 1]?.messages[0]?.createdAt
    const own: Aside[] = []
    while (left[0] && (next === undefined || left[0].createdAt < next))
      own.push(...left.splice(0, 1))
    const entries = entriesOf.get(messages) ?? toEntries(messages)
    entriesOf.set(messages, entries)
    // Stable, so that messages keep their order within one millisecond.
    const merged =
      own.length === 0
        ? entries
        : [...entries, ...own].toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
    const block = { id, entries: merged, before }
    before = merged.at(-1) ?? before
    return block
  })
}

/** The reactions among the messages; the same object until one of them changes. */
function useReactions(pages: ThreadPage[]): Reactions {
  const last = useRef<Reactions>(new Map())
  return useMemo(() => {
    const next = reactionsIn(pages)
    const isSame =
      next.size === last.current.size &&
      [...next].every(([id, all]) => JSON.stringify(last.current.get(id)) === JSON.stringify(all))
    if (!isSame) last.current = next
    return last.current
  }, [pages])
}

/** Draws the pages near the window, and keeps the heights of the others. */
function useDrawnPages(
  frame: RefObject<HTMLElement | null>,
  ids: string,
  onNear: (ids: Set<string>) => void,
) {
  const heights = useRef(new Map<string, number>())
  const [near, setNear] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    const root = frame.current
    if (!root) return
    const shown = new Set<string>()
    const observer = new IntersectionObserver(
      (changes) => {
        for (const { target, isIntersecting, boundingClientRect } of changes) {
          const id = (target as HTMLElement).dataset['page'] ?? ''
          if (isIntersecting) shown.add(id)
          else {
            shown.delete(id)
            heights.current.set(id, boundingClientRect.height)
          }
        }
        setNear(new Set(shown))
        onNear(new Set(shown))
      },
      { root, rootMargin: `${DRAWN_AROUND} 0px` },
    )
    for (const one of root.querySelectorAll('[data-page]')) observer.observe(one)
    return () => observer.disconnect()
  }, [frame, ids, onNear])
  /** Null draws the page, as for one that was never drawn. */
  return (id: string): number | null => (near.has(id) ? null : (heights.current.get(id) ?? null))
}

/**
 * The messages, notes and calls of a conversation, oldest first. Stays at the end while it is there, also when pictures grow,
 * and goes there after the user's own message; otherwise a button reports new ones. Older messages are loaded before
 * the user reaches them, and only those near the window are drawn.
 */
export function MessageList(props: {
  pages: ThreadPage[]
  /** Notes and calls. */
  asides: Aside[]
  instanceId: string
  more: (() => void) | null
  /** The id of a message to show in the middle, once it is loaded. */
  wanted: string | undefined
  /** The id of the first message that was unread, where the list begins if it is above the end. */
  firstUnread: string | undefined
  onNear: (ids: Set<string>) => void
  onQuote: (message: Message) => void
  /** Shows the message with a network id, loading it if necessary. */
  onGo: (waMessageId: string) => void
  /** Changes with each request to show the wanted message. */
  turn: number
  /** True from when the user sends a message here until it is shown. */
  sent: RefObject<boolean>
}) {
  const { pages, asides, instanceId, more, wanted, firstUnread, turn } = props
  const { onNear, onQuote, onGo, sent } = props
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const { atEnd, goToEnd, onScroll } = useStayAtEnd(frame, content)
  const [hasNew, setHasNew] = useState(false)
  const complete = more === null
  const blocks = useMemo(() => toBlocks(pages, asides, complete), [pages, asides, complete])
  const reactions = useReactions(pages)
  const heightOf = useDrawnPages(frame, blocks.map(({ id }) => id).join(), onNear)
  const loaded = useRef(pages)
  useLayoutEffect(() => {
    loaded.current = pages
  })
  const [thread] = useState<ThreadContext>(() => ({
    find: (waMessageId) =>
      loaded.current
        .flatMap(({ messages }) => messages)
        .find((message) => message.waMessageId === waMessageId),
    go: onGo,
  }))
  const last = blocks.findLast(({ entries }) => entries.length > 0)?.entries.at(-1)
  const seen = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    const isFirst = seen.current === undefined
    if (last?.id === seen.current) return
    const isOwn = sent.current && (last?.note ?? last?.message?.direction === 'outbound')
    if (isOwn) sent.current = false
    seen.current = last?.id
    if (isFirst || isOwn || atEnd.current) goToEnd()
    else setHasNew(true)
  }, [last, sent, atEnd, goToEnd])
  const marked = useRef<string | undefined>(undefined)
  useLayoutEffect(() => {
    if (firstUnread === undefined || firstUnread === marked.current) return
    marked.current = firstUnread
    const topOf = (element?: Element | null) => element?.getBoundingClientRect().top ?? 0
    const mark = frame.current?.querySelector('.thread-unread')
    if (!atEnd.current || !mark || topOf(mark) >= topOf(frame.current)) return
    // The unread messages do not fit, so the user begins with the first of them instead of the last.
    atEnd.current = false
    mark.scrollIntoView({ block: 'start' })
    setHasNew(true)
  }, [firstUnread, atEnd])
  // Browsers keep what is in view in its place when something grows above it, except Safari, and at the very top.
  const [first] = blocks
  const top = useRef<{ id: string | undefined; height: number }>({ id: undefined, height: 0 })
  useLayoutEffect(() => {
    const element = frame.current
    if (!element) return
    const { id, height } = top.current
    const isOlder = id !== undefined && first?.id !== id
    const isLeft = element.scrollTop === 0 || !CSS.supports('overflow-anchor', 'auto')
    if (isOlder && isLeft) element.scrollTop += element.scrollHeight - height
    top.current = { id: first?.id, height: element.scrollHeight }
  })
  const isShown =
    wanted !== undefined && pages.some(({ messages }) => messages.some(({ id }) => id === wanted))
  useLayoutEffect(() => {
    if (!isShown) return
    atEnd.current = false
    frame.current?.querySelector('[data-wanted=true]')?.scrollIntoView({ block: 'center' })
  }, [wanted, isShown, turn, atEnd])
  return (
    <div className="thread-frame">
      <div
        className="thread"
        tabIndex={0}
        role="log"
        aria-label={t.messages.title}
        ref={frame}
        onScroll={() => {
          onScroll()
          if (atEnd.current) setHasNew(false)
        }}
      >
        <div className="thread-pages" ref={content}>
          {more && <Older key={first?.id} frame={frame} more={more} />}
          {blocks.map(({ id, entries, before }) => (
            <ThreadBlock
              key={id}
              id={id}
              entries={entries}
              before={before}
              height={entries.some((entry) => entry.id === wanted) ? null : heightOf(id)}
              reactions={reactions}
              instanceId={instanceId}
              wanted={wanted}
              firstUnread={firstUnread}
              onQuote={onQuote}
              thread={thread}
            />
          ))}
        </div>
      </div>
      {hasNew && (
        <button type="button" className="button thread-new" onClick={goToEnd}>
          {t.conversations.newBelow} <ArrowDown size={16} aria-hidden />
        </button>
      )}
    </div>
  )
}

/** Loads older messages before their place is reached; the button is for a failure, and for screen readers. */
function Older({ frame, more }: { frame: RefObject<HTMLElement | null>; more: () => void }) {
  const place = useRef<HTMLDivElement>(null)
  const act = useRef(more)
  useEffect(() => {
    act.current = more
  })
  useEffect(() => {
    const element = place.current
    if (!element) return
    const observer = new IntersectionObserver(
      (changes) => {
        if (changes.some(({ isIntersecting }) => isIntersecting)) act.current()
      },
      { root: frame.current, rootMargin: `${LOADED_AHEAD} 0px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [frame])
  return (
    <div className="thread-older" ref={place}>
      <button type="button" className="button" onClick={more}>
        {t.conversations.older}
      </button>
    </div>
  )
}
