import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import type { Conversation, Instance, Message } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Empty, Field, Time, typed } from '../ui/controls.tsx'
import { Load } from '../ui/load.tsx'
import { OfInstance } from '../ui/of-instance.tsx'
import { usePlace } from '../ui/page.tsx'

const PAGE = 100

const nameOf = ({ chat, contact }: Conversation): string =>
  chat.name ?? contact?.name ?? contact?.phone ?? chat.id.split('@')[0] ?? ''

/** Where the page stands, in its address: whose conversations, and which of them is open. */
function usePlaceInConversations() {
  const { modo } = usePlace()
  const search = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    instancia: search.instancia,
    conversa: search.conversa,
    go: (next: { instancia?: string; conversa?: string }) =>
      void navigate({ to: '/$modo/conversas', params: { modo }, search: next }),
  }
}

/** The conversations of an instance, live: the list, and the one that is open. */
export function Conversations() {
  const { instancia, go } = usePlaceInConversations()
  return (
    <OfInstance
      title={t.conversations.title}
      chosen={instancia}
      onChoose={(id) => go({ instancia: id })}
    >
      {(instance) => <Panes instance={instance} />}
    </OfInstance>
  )
}

function Panes({ instance }: { instance: Instance }) {
  const { mode } = usePlace()
  const { conversa, go } = usePlaceInConversations()
  const [q, setQ] = useState('')
  const query = useInfiniteQuery({
    queryKey: [mode, 'conversations', instance.id, q],
    queryFn: ({ pageParam }) =>
      api(mode, 'GET /v1/instances/{id}/conversations', {
        params: [instance.id],
        query: { q, limit: PAGE, offset: pageParam },
      }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
  })
  const items = query.data?.pages.flatMap((page) => page.items) ?? []
  const open = items.find(({ id }) => id === conversa)
  return (
    <div className="paineis">
      <section className="pilha-menor" aria-label={t.conversations.title}>
        <Field
          label={t.conversations.search}
          type="search"
          value={q}
          onChange={(event) => setQ(event.target.value)}
        />
        {query.data && items.length === 0 && <Empty text={t.conversations.empty} />}
        <ul className="conversas">
          {items.map((conversation) => (
            <li key={conversation.id}>
              <button
                type="button"
                aria-current={conversation.id === conversa ? 'true' : undefined}
                onClick={() => go({ instancia: instance.id, conversa: conversation.id })}
              >
                <span className="cabeca">
                  <strong>{nameOf(conversation)}</strong>
                  {conversation.unreadCount > 0 && (
                    <span className="contador">
                      {conversation.unreadCount}
                      <span className="visually-hidden"> {t.conversations.unread}</span>
                    </span>
                  )}
                </span>
                <span className="discreto corte">
                  {conversation.lastMessage?.text ?? conversation.lastMessage?.type ?? ''}
                </span>
              </button>
            </li>
          ))}
        </ul>
        {query.hasNextPage && (
          <button type="button" className="botao" onClick={() => void query.fetchNextPage()}>
            {t.conversations.more}
          </button>
        )}
      </section>
      {open ? (
        <Thread key={open.id} instance={instance} conversation={open} />
      ) : (
        <Empty text={t.conversations.choose} />
      )}
    </div>
  )
}

function Thread(props: { instance: Instance; conversation: Conversation }) {
  const { instance, conversation } = props
  const { mode } = usePlace()
  const client = useQueryClient()
  const [text, setText] = useState('')
  const end = useRef<HTMLDivElement>(null)
  const query = useQuery({
    queryKey: [mode, 'messages', instance.id, conversation.id],
    queryFn: () =>
      api(mode, 'GET /v1/instances/{id}/messages', {
        params: [instance.id],
        query: { conversationId: conversation.id, limit: PAGE },
      }),
  })
  const last = query.data?.items[0]?.id
  useEffect(() => {
    end.current?.scrollIntoView({ block: 'nearest' })
  }, [last])
  const { unreadCount } = conversation
  useEffect(() => {
    if (unreadCount === 0) return
    void api(mode, 'POST /v1/instances/{id}/messages/read', {
      params: [instance.id],
      body: { conversationId: conversation.id },
    }).then(() => client.invalidateQueries({ queryKey: [mode, 'conversations'] }))
  }, [mode, client, instance.id, conversation.id, unreadCount])
  async function send(form: FormData) {
    await api(mode, 'POST /v1/instances/{id}/messages/text', {
      params: [instance.id],
      body: { conversationId: conversation.id, text: typed(form, 'text') },
    })
    setText('')
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  const locked = instance.status !== 'CONNECTED' && instance.status !== 'DISCONNECTED'
  return (
    <section className="cartao" aria-labelledby="conversa">
      <h2 id="conversa">{nameOf(conversation)}</h2>
      <Load query={query}>
        {({ items }) => (
          <div className="fio" tabIndex={0} role="log" aria-label={t.messages.title}>
            <ol className="bolhas">
              {items.toReversed().map((message) => (
                <Bubble key={message.id} message={message} />
              ))}
            </ol>
            <div ref={end} />
          </div>
        )}
      </Load>
      {locked ? (
        <p className="discreto">{t.conversations.locked(t.states[instance.status])}</p>
      ) : (
        <ActForm
          act={send}
          label={t.common.send}
          beside={<span className="discreto">{t.messages.free}</span>}
        >
          <Field
            label={t.conversations.write}
            name="text"
            autoComplete="off"
            value={text}
            onChange={(event) => setText(event.target.value)}
            required
          />
        </ActForm>
      )}
    </section>
  )
}

function Bubble({ message }: { message: Message }) {
  const { direction, text, type, status, createdAt, deletedAt, from, chat } = message
  const mine = direction === 'outbound'
  return (
    <li data-mine={mine}>
      {chat.type === 'group' && !mine && <small>{from.name ?? from.phone}</small>}
      <div>{deletedAt ? t.conversations.deleted : (text ?? type)}</div>
      <small className="discreto">
        <Time at={createdAt} /> {mine && t.messages[status]}
      </small>
    </li>
  )
}
