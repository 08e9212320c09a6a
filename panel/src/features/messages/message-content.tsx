import { MapPin } from 'lucide-react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { RichText } from '../../ui/rich-text.tsx'
import { MessageFile } from './message-file.tsx'

type Content = Pick<
  Message,
  'type' | 'text' | 'media' | 'location' | 'contacts' | 'reaction' | 'poll' | 'deletedAt'
>

/** A message summarized in one line. */
export function summaryOf(message: Content): string {
  const { type, text, media, location, contacts, reaction, poll, deletedAt } = message
  if (deletedAt) return t.conversations.deleted
  if (reaction) return reaction.emoji || t.compose.unreacted
  const what =
    text ??
    media?.fileName ??
    location?.name ??
    contacts?.map(({ name }) => name).join(', ') ??
    poll?.question ??
    poll?.selected.join(', ') ??
    ''
  return type === 'text' ? what : `${t.kinds[type]}${what ? `: ${what}` : ''}`
}

/** The full content of a message of any type. */
export function MessageContent({ message }: { message: Message }) {
  const { text, location, contacts, poll, deletedAt, media, quoted, editedAt } = message
  if (deletedAt) return <em>{t.conversations.deleted}</em>
  return (
    <>
      {quoted && (
        <blockquote className="quoted">
          {quoted.text ?? t.kinds[quoted.type ?? 'unsupported']}
        </blockquote>
      )}
      <MessageFile message={message} />
      {location && (
        <a
          href={`https://www.openstreetmap.org/?mlat=${location.latitude}&mlon=${location.longitude}`}
          target="_blank"
          rel="noreferrer"
        >
          <MapPin size={14} aria-hidden />{' '}
          {location.name ?? `${location.latitude}, ${location.longitude}`}
        </a>
      )}
      {contacts?.map(({ name, phones }) => (
        <div key={name}>
          {name} {phones.map(({ phone }) => phone).join(', ')}
        </div>
      ))}
      {poll?.question && (
        <div>
          <strong>{poll.question}</strong>
          <ul className="list">
            {poll.options.map(({ name, votes }) => (
              <li key={name}>
                {name} · {t.compose.votes(votes)}
              </li>
            ))}
          </ul>
        </div>
      )}
      {text && !contacts && !poll?.question && text !== location?.name && (
        <div className="message-text">
          <RichText text={text} />
        </div>
      )}
      {!text && !media && !location && !contacts && !poll?.question && (
        <div>{summaryOf(message)}</div>
      )}
      {editedAt && <small className="quiet">{t.conversations.edited}</small>}
    </>
  )
}
