import { MapPin } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Conversation, Message } from '../../data/api-types.ts'
import { buildPath } from '../../data/api.ts'
import { t } from '../../phrases/phrases.ts'
import { readMe } from '../../data/session.ts'
import { usePanel } from '../../shell/page.tsx'
import { Lightbox } from '../../ui/lightbox.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { RichText } from '../../ui/rich-text.tsx'

type Content = Pick<
  Message,
  'type' | 'text' | 'media' | 'location' | 'contacts' | 'reaction' | 'poll' | 'deletedAt'
>

/** The display name of a conversation. */
export const nameOf = ({ chat, contact }: Conversation): string =>
  chat.name ?? contact?.name ?? formatPhone(contact?.phone ?? chat.id.split('@')[0] ?? '')

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

/** The file of a message, served from the panel's own address. */
function File({ message }: { message: Message }) {
  const { mode } = usePanel()
  const { id, instanceId, media, type, text } = message
  const [again, setAgain] = useState(0)
  const [enlarged, setEnlarged] = useState(false)
  const fresh = useRef(false)
  if (!media) return null
  if (media.status !== 'available') {
    return <span className="quiet">{t.compose[media.status]}</span>
  }
  const template = `/panel/api/{mode}/v1/instances/{id}/messages/{messageId}/media`
  const src = buildPath(template, [mode, instanceId, id], again > 0 ? { n: again } : {})
  // An image request cannot renew the session: renew it, then reload the image once.
  const onError = () => {
    if (again === 0) void readMe().then(() => setAgain(1))
  }
  const name = media.fileName ?? t.kinds[type]
  if (type === 'image' || type === 'sticker') {
    return (
      <>
        <a
          href={src}
          target="_blank"
          rel="noreferrer"
          onClick={(event) => {
            // With a key held, it opens a tab like any link.
            if (type === 'sticker' || event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            setEnlarged(true)
          }}
        >
          <img
            className="picture"
            src={src}
            alt={text ?? name}
            loading="lazy"
            // Reserves its place before it has loaded.
            {...(media.width && media.height ? { width: media.width, height: media.height } : {})}
            onError={onError}
          />
        </a>
        {enlarged && (
          <Lightbox {...{ src, name }} caption={text} onClose={() => setEnlarged(false)} />
        )}
      </>
    )
  }
  if (type === 'audio')
    return <audio controls preload="none" src={src} aria-label={name} onError={onError} />
  if (type === 'video') {
    return (
      // Videos sent by contacts come without captions.
      <video
        className="picture"
        controls
        preload="none"
        src={src}
        aria-label={name}
        onError={onError}
      />
    )
  }
  return (
    <a
      href={src}
      download={name}
      onClick={(event) => {
        // A download cannot renew the session either: renew it first, then follow the link.
        if (fresh.current) return
        const link = event.currentTarget
        event.preventDefault()
        void readMe().then(() => {
          fresh.current = true
          link.click()
        })
      }}
    >
      {name}
    </a>
  )
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
      <File message={message} />
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
