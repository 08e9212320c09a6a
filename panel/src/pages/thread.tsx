import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { Pencil, Reply, RotateCcw, SmilePlus, Trash2, type LucideIcon } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import type { Conversation, Instance, Message } from '../api-types.ts'
import { patchChat } from '../chats.ts'
import { hasFile, KindFields, KINDS, sendFrom, type Kind } from '../compose.tsx'
import { t } from '../phrases/phrases.ts'
import { Area, CancelButton, Choice } from '../ui/controls.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'
import { ActForm, typed, useAct } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { MessageContent, nameOf, summaryOf } from '../ui/message-content.tsx'
import { usePlace } from '../ui/page.tsx'
import { useSendLock } from '../ui/send-lock.tsx'
import { Time } from '../ui/time.tsx'

const PAGE = 50
const NEAR_END_PX = 120
const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']
/** What can be attached; a reaction belongs to a message, and has its own button there. */
const ATTACHED = KINDS.filter((kind) => kind !== 'reaction')

/** One conversation: what was said, oldest first, and where one answers. */
export function Thread(props: {
  instance: Instance
  conversation: Conversation
  onClose: () => void
}) {
  const { instance, conversation, onClose } = props
  const { mode } = usePlace()
  const client = useQueryClient()
  const [quoted, setQuoted] = useState<Message | null>(null)
  const query = useInfiniteQuery({
    queryKey: [mode, 'messages', instance.id, conversation.id],
    queryFn: ({ pageParam }) =>
      api(mode, 'GET /v1/instances/{id}/messages', {
        params: [instance.id],
        query: { conversationId: conversation.id, limit: PAGE, offset: pageParam },
      }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
  })
  const { unreadCount } = conversation
  useEffect(() => {
    function read() {
      // What nobody looks at is not read.
      if (unreadCount === 0 || document.hidden) return
      void api(mode, 'POST /v1/instances/{id}/messages/read', {
        params: [instance.id],
        body: { conversationId: conversation.id },
      })
        .then(() => patchChat(client, conversation.id, { unreadCount: 0 }))
        .then(() => client.invalidateQueries({ queryKey: [mode, 'conversations'] }))
        // It is tried again with whatever comes next.
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
          <Said
            messages={pages.flatMap((page) => page.items).toReversed()}
            more={query.hasNextPage ? () => void query.fetchNextPage() : null}
            onQuote={setQuoted}
          />
        )}
      </Load>
      <Answer instance={instance} conversation={conversation} quoted={quoted} onQuote={setQuoted} />
    </section>
  )
}

function Said(props: {
  messages: Message[]
  more: (() => void) | null
  onQuote: (message: Message) => void
}) {
  const { messages, more, onQuote } = props
  const frame = useRef<HTMLDivElement>(null)
  const atEnd = useRef(true)
  const last = messages.at(-1)?.id
  // Who reads further up is not thrown down by what comes in.
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

/** The last reaction of each person, oldest first; one that was taken back is none. */
function reactionsTo({ waMessageId }: Message, reactions: Message[]): string[] {
  const byPerson = new Map<string, string>()
  for (const { reaction, direction, from } of reactions) {
    if (reaction?.waMessageId !== waMessageId) continue
    const who = direction === 'outbound' ? 'me' : (from.phone ?? from.lid ?? '')
    byPerson.delete(who)
    if (reaction.emoji) byPerson.set(who, reaction.emoji)
  }
  return [...byPerson.values()]
}

function Bubble(props: { message: Message; reactions: string[]; onQuote: () => void }) {
  const { message, reactions, onQuote } = props
  const { direction, status, createdAt, from, chat, error } = message
  const mine = direction === 'outbound'
  return (
    <li data-mine={mine}>
      {chat.type === 'group' && !mine && <small>{from.name ?? from.phone}</small>}
      <MessageContent message={message} />
      {reactions.length > 0 && <div className="reacoes">{reactions.join(' ')}</div>}
      <small className="discreto">
        <Time at={createdAt} /> {mine && t.messages[status]}
      </small>
      {error && <small className="conta falha">{error.message}</small>}
      <BubbleActs message={message} onQuote={onQuote} />
    </li>
  )
}

function IconButton(props: {
  icon: LucideIcon
  label: string
  onClick: () => void
  disabled?: boolean
}) {
  const { icon: Icon, label, onClick, disabled } = props
  return (
    <button type="button" title={label} aria-label={label} disabled={disabled} onClick={onClick}>
      <Icon size={16} aria-hidden />
    </button>
  )
}

/** What can be done with a message: answer, react, try again; with one's own, edit and delete. */
function BubbleActs({ message, onQuote }: { message: Message; onQuote: () => void }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [open, setOpen] = useState<'react' | 'edit' | 'delete' | null>(null)
  const { id, instanceId, waMessageId, conversationId, direction, status, text, type } = message
  const refresh = async () => {
    setOpen(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  }
  const { error, busy, run } = useAct(async (body: { emoji: string } | { text: string }) => {
    const to = { params: [instanceId] }
    if ('emoji' in body) {
      await api(mode, 'POST /v1/instances/{id}/messages/reaction', {
        ...{ ...to, body: { conversationId, waMessageId, emoji: body.emoji } },
      })
    } else {
      await api(mode, 'POST /v1/instances/{id}/messages/text', {
        ...{ ...to, body: { conversationId, text: body.text } },
      })
    }
    await refresh()
  })
  if (message.deletedAt) return null
  const mine = direction === 'outbound'
  const failed = status === 'failed'
  const sentText = mine && type === 'text' && text !== null
  return (
    <>
      <div className="bolha-acoes">
        {!failed && <IconButton icon={Reply} label={t.conversations.reply} onClick={onQuote} />}
        {!failed && (
          <IconButton
            icon={SmilePlus}
            label={t.conversations.react}
            onClick={() => setOpen(open === 'react' ? null : 'react')}
          />
        )}
        {failed && sentText && (
          <IconButton
            icon={RotateCcw}
            label={t.common.retry}
            disabled={busy}
            onClick={() => run({ text })}
          />
        )}
        {sentText && !failed && (
          <IconButton icon={Pencil} label={t.conversations.edit} onClick={() => setOpen('edit')} />
        )}
        {mine && !failed && (
          <IconButton
            icon={Trash2}
            label={t.conversations.delete}
            onClick={() => setOpen('delete')}
          />
        )}
      </div>
      {open === 'react' && (
        <div className="linha">
          {EMOJI.map((emoji) => (
            <button
              key={emoji}
              type="button"
              className="botao"
              disabled={busy}
              onClick={() => run({ emoji })}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
      {error !== null && <ErrorBlock error={error} />}
      {open === 'edit' && (
        <Dialog title={t.conversations.edit} onClose={() => setOpen(null)}>
          <ActForm
            label={t.common.save}
            beside={<CancelButton onClick={() => setOpen(null)} />}
            act={async (form) => {
              await api(mode, 'PATCH /v1/instances/{id}/messages/{messageId}', {
                params: [instanceId, id],
                body: { text: typed(form, 'text') },
              })
              await refresh()
            }}
          >
            <Area label={t.messages.text} name="text" defaultValue={text ?? ''} required />
          </ActForm>
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          danger
          title={t.conversations.delete}
          text={t.conversations.deleteText(summaryOf(message))}
          onClose={() => setOpen(null)}
          act={async () => {
            await api(mode, 'DELETE /v1/instances/{id}/messages/{messageId}', {
              params: [instanceId, id],
            })
            await refresh()
          }}
        />
      )}
    </>
  )
}

/** Where one answers: text at once, anything else after choosing it. */
function Answer(props: {
  instance: Instance
  conversation: Conversation
  quoted: Message | null
  onQuote: (message: Message | null) => void
}) {
  const { instance, conversation, quoted, onQuote } = props
  const { mode } = usePlace()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>('text')
  const area = useRef<HTMLDivElement>(null)
  const focus = () => area.current?.querySelector('textarea')?.focus()
  useEffect(() => {
    if (quoted) focus()
  }, [quoted])
  // r answers while the focus is among the panes, unless somebody is writing already.
  useEffect(() => {
    function hear(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey } = event
      const writes = target instanceof Element && target.closest('input, textarea, select, dialog')
      if (key !== 'r' || writes || ctrlKey || metaKey) return
      event.preventDefault()
      focus()
    }
    const element = area.current?.closest('.paineis') as HTMLElement | null
    element?.addEventListener('keydown', hear)
    return () => element?.removeEventListener('keydown', hear)
  }, [])
  if (lock) return lock
  async function send(form: FormData) {
    const quote = quoted ? { quotedWaMessageId: quoted.waMessageId } : {}
    const to = { conversationId: conversation.id, ...quote }
    // What is typed from now on is the next message.
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
      <ActForm
        act={send}
        label={t.common.send}
        beside={<span className="discreto">{t.messages.free}</span>}
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
              // While an input method composes, Enter is its own.
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
      </ActForm>
    </div>
  )
}
