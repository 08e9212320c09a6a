import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { callApi } from '../api.ts'
import type { Conversation, Instance, Message } from '../api-types.ts'
import { patchConversation } from '../chats.ts'
import { hasFile, KindFields, KINDS, sendFrom, type Kind } from '../compose.tsx'
import { t } from '../phrases/phrases.ts'
import { Area, Choice } from '../ui/controls.tsx'
import { ActionForm } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { nameOf, summaryOf } from '../ui/message-content.tsx'
import { usePanel } from '../ui/page.tsx'
import { useSendLock } from '../ui/send-lock.tsx'
import { Bubble, reactionsTo } from './bubble.tsx'

const PAGE = 50
const NEAR_END_PX = 120
/** Message types to choose from; a reaction belongs to a message and has its button there. */
const ATTACHED = KINDS.filter((kind) => kind !== 'reaction')

/** One conversation, oldest message first, with the reply form. Marks it as read while the page is visible. */
export function Thread(props: {
  instance: Instance
  conversation: Conversation
  onClose: () => void
}) {
  const { instance, conversation, onClose } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  const [quoted, setQuoted] = useState<Message | null>(null)
  const query = useInfiniteQuery({
    queryKey: [mode, 'messages', instance.id, conversation.id],
    queryFn: ({ pageParam }) =>
      callApi(mode, 'GET /v1/instances/{id}/messages', {
        params: [instance.id],
        query: { conversationId: conversation.id, limit: PAGE, offset: pageParam },
      }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
  })
  const { unreadCount } = conversation
  useEffect(() => {
    function read() {
      // A hidden page does not mark messages as read.
      if (unreadCount === 0 || document.hidden) return
      void callApi(mode, 'POST /v1/instances/{id}/messages/read', {
        params: [instance.id],
        body: { conversationId: conversation.id },
      })
        .then(() => patchConversation(client, conversation.id, { unreadCount: 0 }))
        .then(() => client.invalidateQueries({ queryKey: [mode, 'conversations'] }))
        // Retried on the next message, or when the page becomes visible.
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [mode, client, instance.id, conversation.id, unreadCount])
  return (
    <section className="cartao conversa" aria-labelledby="conversa">
      <div className="entre">
        <h2 id="conversa">{nameOf(conversation)}</h2>
        <button type="button" className="botao so-estreito" onClick={onClose}>
          {t.common.back}
        </button>
      </div>
      <Load query={query}>
        {({ pages }) => (
          <MessageList
            messages={pages.flatMap((page) => page.items).toReversed()}
            more={query.hasNextPage ? () => void query.fetchNextPage() : null}
            onQuote={setQuoted}
          />
        )}
      </Load>
      <ReplyForm
        instance={instance}
        conversation={conversation}
        quoted={quoted}
        onQuote={setQuoted}
      />
    </section>
  )
}

function MessageList(props: {
  messages: Message[]
  more: (() => void) | null
  onQuote: (message: Message) => void
}) {
  const { messages, more, onQuote } = props
  const frame = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const last = messages.at(-1)?.id
  // Follow new messages only if the view is at the end.
  useLayoutEffect(() => {
    const element = frame.current
    if (element && atEnd.current) element.scrollTop = element.scrollHeight
  }, [last])
  const reactions = messages.filter(({ reaction }) => reaction)
  const shown = messages.filter(({ reaction }) => !reaction)
  return (
    <div
      className="fio"
      tabIndex={0}
      role="log"
      aria-label={t.messages.title}
      ref={frame}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
      }}
    >
      {more && (
        <button type="button" className="botao" onClick={more}>
          {t.conversations.older}
        </button>
      )}
      <ol className="bolhas">
        {shown.map((message) => (
          <Bubble
            key={message.id}
            message={message}
            reactions={reactionsTo(message, reactions)}
            onQuote={() => onQuote(message)}
          />
        ))}
      </ol>
    </div>
  )
}

/** The reply form: text directly, other types after choosing them. */
function ReplyForm(props: {
  instance: Instance
  conversation: Conversation
  quoted: Message | null
  onQuote: (message: Message | null) => void
}) {
  const { instance, conversation, quoted, onQuote } = props
  const { mode } = usePanel()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>('text')
  const area = useRef<HTMLDivElement>(null)
  const focus = () => area.current?.querySelector('textarea')?.focus()
  useEffect(() => {
    if (quoted) focus()
  }, [quoted])
  // r focuses the reply field while the focus is inside the panes, but not in a text field.
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey } = event
      const writes = target instanceof Element && target.closest('input, textarea, select, dialog')
      if (key !== 'r' || writes || ctrlKey || metaKey) return
      event.preventDefault()
      focus()
    }
    const element = area.current?.closest('.paineis') as HTMLElement | null
    element?.addEventListener('keydown', handleKeyDown)
    return () => element?.removeEventListener('keydown', handleKeyDown)
  }, [])
  if (lock) return lock
  async function send(form: FormData) {
    const quote = quoted ? { quotedWaMessageId: quoted.waMessageId } : {}
    const to = { conversationId: conversation.id, ...quote }
    // Cleared at once: text typed while sending belongs to the next message.
    const sent = text
    setText('')
    try {
      await sendFrom(mode, instance.id, to, { kind, form })
    } catch (failure) {
      setText((typed) => (typed ? typed : sent))
      throw failure
    }
    setKind('text')
    onQuote(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  return (
    <div ref={area}>
      {quoted && (
        <div className="entre">
          <blockquote className="citada">{summaryOf(quoted)}</blockquote>
          <button type="button" className="botao" onClick={() => onQuote(null)}>
            {t.conversations.unquote}
          </button>
        </div>
      )}
      <ActionForm
        act={send}
        label={t.common.send}
        secondary={<span className="discreto">{t.messages.free}</span>}
      >
        {kind === 'text' ? (
          <Area
            label={t.conversations.write}
            name="text"
            rows={2}
            autoComplete="off"
            hint={t.conversations.enter}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              // During IME composition, Enter confirms the composition.
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              event.preventDefault()
              if (text.trim()) event.currentTarget.form?.requestSubmit()
            }}
            required
          />
        ) : (
          <KindFields kind={kind} />
        )}
        <Choice
          label={t.conversations.attach}
          value={kind}
          onChange={(event) => {
            setKind(ATTACHED.find((one) => one === event.target.value) ?? 'text')
          }}
          options={ATTACHED.map(
            (one) => [one, hasFile(one) ? `${t.kinds[one]}…` : t.kinds[one]] as const,
          )}
        />
      </ActionForm>
    </div>
  )
}
