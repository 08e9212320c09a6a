import { useQueryClient } from '@tanstack/react-query'
import type { Message } from '../../data/api-types.ts'
import { memberName } from '../../data/member-name.ts'
import { resendBody, resendMessage } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { authorOf, MessageContent } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { titleOf } from '../../data/chats.ts'
import { absolute, timeOfDay } from '../../ui/time.tsx'
import { BubbleActions } from './bubble-actions.tsx'
import { isPinned } from './pinned-bar.tsx'
import { Bookmark, Forward, Pin, Star, type LucideIcon } from 'lucide-react'
import { useMembers } from './team-inbox.ts'
import { ReferralNote } from './referral.tsx'
import { Ticks } from './ticks.tsx'

/** A person's reaction; `mine` is that of the account. */
type Reaction = { emoji: string; mine: boolean }
/** The reactions to messages, by network id: the latest of each person, oldest first, without withdrawn ones. */
export type Reactions = ReadonlyMap<string, readonly Reaction[]>

/** Collects the reactions among these messages, which are in the order of time. */
export function reactionsIn(pages: readonly { messages: Message[] }[]): Reactions {
  const found = new Map<string, Map<string, Reaction>>()
  for (const { messages } of pages) {
    for (const { reaction, direction, from } of messages) {
      if (!reaction) continue
      const byPerson = found.get(reaction.waMessageId) ?? new Map<string, Reaction>()
      found.set(reaction.waMessageId, byPerson)
      const mine = direction === 'outbound'
      const who = mine ? 'me' : (from.phone ?? from.lid ?? '')
      byPerson.delete(who)
      if (reaction.emoji) byPerson.set(who, { emoji: reaction.emoji, mine })
    }
  }
  return new Map([...found].map(([id, byPerson]) => [id, [...byPerson.values()]]))
}

/**
 * A message of the thread with its reactions, time, status and actions. `continues` draws it as part of the group of
 * the message before it; `onQuote` starts a reply to it.
 */
export function Bubble(props: {
  message: Message
  continues: boolean
  /** Whether it is the one that a search led to. */
  wanted: boolean
  reactions: readonly Reaction[]
  onQuote: (message: Message) => void
  thread: ThreadContext
}) {
  const { message, continues, wanted, reactions, onQuote, thread } = props
  const { direction, status, createdAt, editedAt, deletedAt, chat, error, referral } = message
  const mine = direction === 'outbound'
  return (
    <li
      data-mine={mine}
      data-continues={continues}
      data-wanted={wanted}
      data-reacted={reactions.length > 0}
    >
      {chat.type === 'group' && !mine && !continues && (
        <small className="bubble-sender">{authorOf(message)}</small>
      )}
      {message.sentBy !== undefined && !continues && <SentBy userId={message.sentBy} />}
      {referral && <ReferralNote referral={referral} />}
      {message.forwarded && (
        <small className="referral quiet">
          <Forward size={14} aria-hidden />
          {t.conversations.forwarded}
        </small>
      )}
      <MessageContent message={message} {...quoteOf(message, thread)} />
      <small className="bubble-meta quiet">
        {message.starred && <Mark icon={Star} label={t.conversations.starred} />}
        {message.kept && <Mark icon={Bookmark} label={t.conversations.kept} />}
        {isPinned(message) && <Mark icon={Pin} label={t.conversations.pinned} />}
        {editedAt && <span>{t.conversations.edited}</span>}
        {message.recovered && (
          <span title={t.conversations.recoveredWhy}>{t.conversations.recovered}</span>
        )}
        <time dateTime={createdAt} title={absolute(createdAt)}>
          {timeOfDay(Date.parse(createdAt))}
        </time>
        {mine && <Ticks status={status} />}
      </small>
      {reactions.length > 0 && (
        <div className="reactions">{reactions.map(({ emoji }) => emoji).join(' ')}</div>
      )}
      {error && <Failure message={message} reason={error.message} />}
      {!deletedAt && (
        <BubbleActions
          message={message}
          reaction={reactions.find((one) => one.mine)?.emoji ?? null}
          onQuote={() => onQuote(message)}
        />
      )}
    </li>
  )
}

/** The colleague who sent a message; nothing for the user's own. */
function SentBy({ userId }: { userId: string }) {
  const { me } = usePanel()
  const members = useMembers()
  if (userId === me.id || members === null) return null
  const member = members.find(({ id }) => id === userId)
  return (
    <small className="bubble-sender">
      {member ? memberName(member) : t.teamInbox.formerMember}
    </small>
  )
}

/** A small icon beside the time of a message, with its name. */
function Mark({ icon: Icon, label }: { icon: LucideIcon; label: string }) {
  return (
    <span className="bubble-mark" title={label}>
      <Icon size={12} aria-hidden />
      <span className="visually-hidden">{label}</span>
    </span>
  )
}

/** Thread operations for its bubbles; the same object for as long as the thread is shown. */
export type ThreadContext = {
  /** The message with this network id, if it is loaded. */
  find: (waMessageId: string) => Message | undefined
  /** Shows the message with this network id, also if it is not loaded yet. */
  go: (waMessageId: string) => void
}

/** Who wrote the message that this one replies to, with a link to it. */
function quoteOf({ quoted, chat }: Message, { find, go }: ThreadContext) {
  if (!quoted) return {}
  const original = find(quoted.waMessageId)
  const other = chat.type === 'direct' ? titleOf(chat) : null
  const author = quoted.fromMe ? t.conversations.you : original ? authorOf(original) : other
  return { quote: { author, go: () => go(quoted.waMessageId) } }
}

/** Under a message that failed: why, and a button that sends it again if its content is still known. */
function Failure({ message, reason }: { message: Message; reason: string }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const again = resendBody(message)
  const { error, busy, run } = useAction(async () => {
    if (again) await resendMessage(mode, message, again)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  })
  return (
    <>
      <p className="bubble-failure">
        {t.conversations.notSent(reason)}{' '}
        {again && (
          <button type="button" className="link" disabled={busy} onClick={() => run()}>
            {t.common.retry}
          </button>
        )}
      </p>
      {error !== null && <ErrorBlock error={error} />}
    </>
  )
}
