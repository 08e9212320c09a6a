import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { useInstances } from '../../data/queries.ts'
import { shortName } from '../../data/member-name.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Load } from '../../ui/load.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { MessengerTime } from '../../ui/time.tsx'
import { MessageFile } from '../messages/message-file.tsx'
import { useNotes } from './team-inbox.ts'

const MEDIA_KINDS = ['image', 'video', 'document'] as const
type MediaKind = (typeof MEDIA_KINDS)[number]
const MAX_FILES = 9
const MAX_NOTES = 3
/** Far more than the chats that one person has with the instances of a company. */
const MAX_CHATS = 20

type Props = { instance: Instance; conversation: Conversation }

/** The newest pictures, videos and documents of a conversation. */
export function MediaGallery({ instance, conversation }: Props) {
  const { mode } = usePanel()
  const [kind, setKind] = useState<MediaKind>('image')
  const query = useQuery({
    queryKey: [mode, 'messages', instance.id, 'media', conversation.id, kind],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/messages', {
        params: [instance.id],
        query: { conversationId: conversation.id, type: kind, limit: MAX_FILES },
      }),
  })
  return (
    <section className="stack-small" aria-labelledby="midia">
      <strong id="midia">{t.conversations.media}</strong>
      <Tabs
        label={t.conversations.media}
        tabs={MEDIA_KINDS.map((name) => [name, t.conversations[`media_${name}`]] as const)}
        open={kind}
        onOpen={setKind}
      >
        <Load query={query}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="quiet">{t.conversations.noMedia}</p>
            ) : (
              <ul className={kind === 'document' ? 'stack-small' : 'gallery'}>
                {items.map((message) => (
                  <li key={message.id}>
                    <MessageFile message={message} />
                  </li>
                ))}
              </ul>
            )
          }
        </Load>
      </Tabs>
    </section>
  )
}

/** The newest notes on a conversation; nothing if there are none. */
export function NewestNotes({ instance, conversation }: Props) {
  const notes = useNotes(instance, conversation).data?.items ?? []
  if (notes.length === 0) return null
  return (
    <section className="stack-small" aria-labelledby="notas">
      <strong id="notas">{t.conversations.notes}</strong>
      <ul className="stack-small">
        {notes.slice(0, MAX_NOTES).map(({ id, text, author, createdAt }) => (
          <li key={id} className="note-line">
            <span className="spread quiet">
              <small>{author.name ? shortName(author.name) : t.teamInbox.formerMember}</small>
              <small>
                <MessengerTime at={createdAt} />
              </small>
            </span>
            <p>{text}</p>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The conversations of the same contact with other instances; nothing if there are none. */
export function OtherChats({ conversation }: Pick<Props, 'conversation'>) {
  const { mode, modo } = usePanel()
  const phone = conversation.contact?.phone ?? null
  const instances = useInstances().data?.items ?? []
  const { data } = useQuery({
    queryKey: [mode, 'conversations', 'of', phone],
    queryFn: () =>
      callApi(mode, 'GET /v1/conversations', {
        query: { q: phone ?? '', type: 'direct', limit: MAX_CHATS },
      }),
    enabled: phone !== null,
  })
  const others = (data?.items ?? []).filter(
    ({ id, contact }) => id !== conversation.id && contact?.phone === phone,
  )
  if (others.length === 0) return null
  return (
    <section className="stack-small" aria-labelledby="outras-conversas">
      <strong id="outras-conversas">{t.conversations.otherChats}</strong>
      <ul className="stack-small">
        {others.map(({ id, instanceId, lastMessage }) => (
          <li key={id}>
            <Link
              className="spread"
              to="/$modo/conversas"
              params={{ modo }}
              search={{ conversa: id }}
            >
              <span className="truncate">
                {instances.find((one) => one.id === instanceId)?.name ?? instanceId}
              </span>
              {lastMessage && (
                <small className="quiet">
                  <MessengerTime at={lastMessage.at} />
                </small>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
