import { MapPin } from 'lucide-react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
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

/** Who wrote a message, as a quote names them. */
export const authorOf = ({ direction, from }: Pick<Message, 'direction' | 'from'>): string =>
  direction === 'outbound' ? t.conversations.you : (from.name ?? formatPhone(from.phone ?? ''))

/**
 * The full content of a message of any type. `quote` says who wrote the message that it replies to, and leads there.
 */
export function MessageContent(props: {
  message: Message
  quote?: { author: string | null; go: () => void }
}) {
  const { message, quote } = props
  const { text, location, contacts, poll, deletedAt, media, quoted } = message
  if (deletedAt) return <em>{t.conversations.deleted}</em>
  return (
    <>
      {quoted && (
        <blockquote className="quoted">
          {quote?.author && <strong>{quote.author}</strong>}
          {quote ? (
            <button type="button" className="row-button quoted-text" onClick={quote.go}>
              {quoted.text ?? t.kinds[quoted.type ?? 'unsupported']}
            </button>
          ) : (
            (quoted.text ?? t.kinds[quoted.type ?? 'unsupported'])
          )}
        </blockquote>
      )}
      <MessageFile message={message} />
      {location && (
        <a
          className="bubble-card"
          href={`https://www.openstreetmap.org/?mlat=${location.latitude}&mlon=${location.longitude}`}
          target="_blank"
          rel="noreferrer"
        >
          <span className="bubble-card-icon">
            <MapPin size={20} aria-hidden />
          </span>
          <span className="bubble-card-text">
            <strong>{location.name ?? `${location.latitude}, ${location.longitude}`}</strong>
            {location.address && <small className="quiet">{location.address}</small>}
          </span>
        </a>
      )}
      {contacts?.map(({ name, phones }) => (
        <div key={name} className="bubble-card">
          <Avatar id={phones[0]?.phone ?? name} name={name} />
          <span className="bubble-card-text">
            <strong>{name}</strong>
            <small className="quiet">
              {phones.map(({ phone }) => formatPhone(phone)).join(', ')}
            </small>
          </span>
        </div>
      ))}
      {poll?.question && (
        <div>
          <strong>{poll.question}</strong>
          <ul className="poll">
            {poll.options.map(({ name, votes }) => (
              <li key={name}>
                <span className="spread">
                  <span>{name}</span>
                  <span title={t.compose.votes(votes)}>{votes}</span>
                </span>
                <progress
                  value={votes}
                  max={Math.max(1, ...poll.options.map((option) => option.votes))}
                  aria-label={t.compose.votes(votes)}
                />
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
    </>
  )
}
