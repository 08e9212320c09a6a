import { useQueryClient } from '@tanstack/react-query'
import type { Message } from '../../data/api-types.ts'
import { resendBody, resendMessage } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { MessageContent } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { absolute, timeOfDay } from '../../ui/time.tsx'
import { BubbleActions } from './bubble-actions.tsx'
import { Ticks } from './ticks.tsx'

/** The latest reaction of each person to a message, oldest first; withdrawn reactions are omitted. */
export function reactionsTo({ waMessageId }: Message, reactions: Message[]): string[] {
  const byPerson = new Map<string, string>()
  for (const { reaction, direction, from } of reactions) {
    if (reaction?.waMessageId !== waMessageId) continue
    const who = direction === 'outbound' ? 'me' : (from.phone ?? from.lid ?? '')
    byPerson.delete(who)
    if (reaction.emoji) byPerson.set(who, reaction.emoji)
  }
  return [...byPerson.values()]
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
  reactions: string[]
  onQuote: () => void
}) {
  const { message, continues, wanted, reactions, onQuote } = props
  const { direction, status, createdAt, editedAt, deletedAt, from, chat, error } = message
  const mine = direction === 'outbound'
  return (
    <li
      data-mine={mine}
      data-continues={continues}
      data-wanted={wanted}
      data-reacted={reactions.length > 0}
    >
      {chat.type === 'group' && !mine && !continues && (
        <small className="bubble-sender">{from.name ?? formatPhone(from.phone ?? '')}</small>
      )}
      <MessageContent message={message} />
      <small className="bubble-meta quiet">
        {editedAt && <span>{t.conversations.edited}</span>}
        <time dateTime={createdAt} title={absolute(createdAt)}>
          {timeOfDay(Date.parse(createdAt))}
        </time>
        {mine && <Ticks status={status} />}
      </small>
      {reactions.length > 0 && <div className="reactions">{reactions.join(' ')}</div>}
      {error && <Failure message={message} reason={error.message} />}
      {!deletedAt && <BubbleActions message={message} onQuote={onQuote} />}
    </li>
  )
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
