import { directChatId } from '../../../../src/model/recipient.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, SmilePlus, Trash2 } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { callApi } from '../../data/api.ts'
import type { Api, Group, Instance, Message, Phone } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionButton, useAction } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { useStayAtEnd } from '../../ui/use-stay-at-end.ts'
import { Ticks } from '../conversations/ticks.tsx'
import { MessageContent, summaryOf } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { absolute, timeOfDay } from '../../ui/time.tsx'

/**
 * A chat of a simulator phone with an instance, or in a group that both are in. `to` is the number or group to send to.
 */
export type Chat = {
  key: string
  name: string
  to: string
  instance: Instance
  group: Group | null
}
/** The body of a message sent by a simulator phone. */
export type PhoneBody = NonNullable<Api['POST /v1/simulator/phones/{id}/messages']['body']>

/** The conversation as this phone sees it: messages of the instance only once they have arrived. */
function useThread(phone: Phone, { instance, group }: Chat) {
  const { mode } = usePanel()
  return useQuery({
    // Under `conversations`, since a read by the instance invalidates those and must update the ticks here.
    queryKey: [mode, 'conversations', instance.id, 'of-phone', phone.phone, group?.id],
    queryFn: async (): Promise<Message[]> => {
      const found = group
        ? group.conversationId
        : (
            await callApi('test', 'GET /v1/instances/{id}/conversations', {
              params: [instance.id],
              query: { q: phone.phone },
            })
          ).items.find(({ contact }) => contact?.phone === phone.phone)?.id
      if (!found) return []
      const { items } = await callApi('test', 'GET /v1/instances/{id}/messages', {
        params: [instance.id],
        query: { conversationId: found },
      })
      return items.filter(arrived).toReversed()
    },
  })
}

/** What the instance is doing in this chat. */
function useTyping(
  phone: Phone,
  { instance, group }: Chat,
  last: string | undefined,
): 'typing' | 'recording' | null {
  const { live } = usePanel()
  const [typing, setTyping] = useState<'typing' | 'recording' | null>(null)
  const chatId = group?.id ?? directChatId({ phone: phone.phone, lid: null })
  useEffect(() => {
    let end: number | undefined
    const unlisten = live?.subscribeTyping((told) => {
      if (told.instanceId !== instance.id || told.chatId !== chatId) return
      window.clearTimeout(end)
      setTyping(told.ms === 0 ? null : told.recording ? 'recording' : 'typing')
      end = window.setTimeout(() => setTyping(null), told.ms)
    })
    return () => {
      window.clearTimeout(end)
      unlisten?.()
    }
  }, [live, instance.id, chatId])
  // A message ends it.
  useEffect(() => setTyping(null), [last])
  return typing
}

/** Messages of the instance are shown once they have been delivered. */
const arrived = ({ direction, status }: Message) =>
  direction === 'inbound' || status === 'delivered' || status === 'read'

/** The messages of a chat, which ends with the one whose id is `last`: each new one is shown. */
function Log({ last, children }: { last: string | undefined; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLOListElement>(null)
  const { goToEnd, onScroll } = useStayAtEnd(frame, content)
  useLayoutEffect(goToEnd, [last, goToEnd])
  return (
    <div
      className="plain-thread thread"
      tabIndex={0}
      role="log"
      aria-label={t.phone.received}
      ref={frame}
      onScroll={onScroll}
    >
      <ol className="bubbles" ref={content}>
        {children}
      </ol>
    </div>
  )
}

/** The messages of a chat as a simulator phone sees them, with actions on them. */
export function Thread({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const query = useThread(phone, chat)
  const last = query.data?.at(-1)?.id
  const typing = useTyping(phone, chat, last)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  return (
    <div className="device-screen">
      <Load query={query}>
        {(messages) => {
          const unread = messages.filter(
            ({ direction, status }) => direction === 'outbound' && status === 'delivered',
          )
          if (messages.length === 0) return <p className="quiet">{t.phone.nothing}</p>
          return (
            <>
              <Log last={last}>
                {messages.map((message) => (
                  <Bubble key={message.id} phone={phone} chat={chat} message={message} />
                ))}
              </Log>
              {unread.length > 0 && (
                <div>
                  <ActionButton
                    label={
                      <>
                        <Check size={16} aria-hidden /> {t.phone.read(unread.length)}
                      </>
                    }
                    act={async () => {
                      const body = { waMessageIds: unread.map(({ waMessageId }) => waMessageId) }
                      await callApi('test', 'POST /v1/simulator/phones/{id}/read', {
                        params: [phone.id],
                        body,
                      })
                      await refresh()
                    }}
                  />
                </div>
              )}
            </>
          )
        }}
      </Load>
      <p className="quiet" role="status">
        {typing && t.phone[typing]}
      </p>
    </div>
  )
}

function Bubble({ phone, chat, message }: { phone: Phone; chat: Chat; message: Message }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { direction, from, createdAt, readAt, waMessageId, deletedAt, poll, reaction } = message
  const own = direction === 'inbound' && from.phone === phone.phone
  const { error, busy, run } = useAction(async (work: () => Promise<unknown>) => {
    await work()
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  })
  const post = (body: object) =>
    run(() =>
      callApi('test', 'POST /v1/simulator/phones/{id}/messages', {
        params: [phone.id],
        body: { to: chat.to, ...body } as unknown as PhoneBody,
      }),
    )
  return (
    <li data-mine={own}>
      {chat.group && !own && <small>{from.name ?? from.phone}</small>}
      {reaction ? <div>{summaryOf(message)}</div> : <MessageContent message={message} />}
      <small className="bubble-meta quiet">
        <time dateTime={createdAt} title={absolute(createdAt)}>
          {timeOfDay(Date.parse(createdAt))}
        </time>
        {own && <Ticks status={readAt ? 'read' : 'delivered'} />}
      </small>
      {poll?.question && direction === 'outbound' && (
        <div className="row">
          {poll.options.map(({ name }) => (
            <button
              key={name}
              type="button"
              className="button"
              disabled={busy}
              onClick={() => post({ type: 'pollVote', waMessageId, options: [name] })}
            >
              {t.phone.vote(name)}
            </button>
          ))}
        </div>
      )}
      {!deletedAt && !reaction && (
        <div className="bubble-actions">
          {!own && (
            <button
              type="button"
              aria-label={t.conversations.react}
              title={t.conversations.react}
              disabled={busy}
              onClick={() => post({ type: 'reaction', waMessageId, emoji: '👍' })}
            >
              <SmilePlus size={16} aria-hidden />
            </button>
          )}
          {own && (
            <button
              type="button"
              aria-label={t.conversations.delete}
              title={t.conversations.delete}
              disabled={busy}
              onClick={() =>
                run(() =>
                  callApi('test', 'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}', {
                    params: [phone.id, waMessageId],
                  }),
                )
              }
            >
              <Trash2 size={16} aria-hidden />
            </button>
          )}
        </div>
      )}
      {error !== null && <ErrorBlock error={error} />}
    </li>
  )
}
