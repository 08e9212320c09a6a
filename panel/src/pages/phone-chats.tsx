import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, Phone as PhoneIcon, SmilePlus, Trash2, Users, Video } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { api } from '../api.ts'
import type { Api, Group, Instance, Message, Phone } from '../api-types.ts'
import { KindFields, KINDS, readyBody, type Kind } from '../compose.tsx'
import { t } from '../phrases/phrases.ts'
import { useInstances } from '../queries.ts'
import { Area, Choice, Empty } from '../ui/controls.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActButton, ActForm, useAct } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { MessageContent, summaryOf } from '../ui/message-content.tsx'
import { usePlace } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'

/** With whom the telephone speaks: an instance, or a group where both are. */
type Chat = { key: string; name: string; to: string; instance: Instance; group: Group | null }
type PhoneBody = NonNullable<Api['POST /v1/simulator/phones/{id}/messages']['body']>

/** The chats of a telephone: every connected instance, and the groups that it shares with them. */
function useChats(phone: Phone): Chat[] | undefined {
  const { mode } = usePlace()
  const instances = useInstances()
  const connected = (instances.data?.items ?? []).filter(
    ({ phone: number, status }) => number && status === 'CONNECTED',
  )
  const ids = connected.map(({ id }) => id)
  const groups = useQuery({
    queryKey: [mode, 'groups', 'of-phone', phone.phone, ids],
    queryFn: async () =>
      Promise.all(
        connected.map(async (instance) => {
          const { items } = await api('test', 'GET /v1/instances/{id}/groups', {
            params: [instance.id],
          })
          const mine = items.filter(({ participants }) =>
            participants.some((one) => one.phone === phone.phone),
          )
          return mine.map((group) => ({ instance, group }))
        }),
      ),
    enabled: ids.length > 0,
  })
  if (!instances.data) return undefined
  const direct = connected.map((instance) => {
    const { id, name, phone: number } = instance
    return { key: id, name: `${name} · ${number}`, to: number ?? '', instance, group: null }
  })
  const shared = (groups.data ?? []).flat().map(({ instance, group }) => {
    return { key: group.id, name: group.subject, to: group.id, instance, group }
  })
  return [...direct, ...shared]
}

export function PhoneChats({ phone }: { phone: Phone }) {
  const { values, set } = useFilters<'fone' | 'conversa'>()
  const chats = useChats(phone)
  if (!chats) return null
  const chat = chats.find(({ key }) => key === values.conversa) ?? chats[0]
  if (!chat) return <Empty text={t.phone.noInstance} />
  return (
    <section className="cartao aparelho" aria-label={t.phone.chat}>
      <Choice
        label={t.phone.to}
        value={chat.key}
        onChange={(event) => set({ conversa: event.target.value })}
        options={chats.map(({ key, name }) => [key, name] as const)}
      />
      <Thread key={chat.key} phone={phone} chat={chat} />
      <Writing key={`${chat.key} write`} phone={phone} chat={chat} />
      <Calls phone={phone} chat={chat} />
      {chat.group && <GroupActs phone={phone} chat={chat} group={chat.group} />}
    </section>
  )
}

/** The conversation as its other side has it: what the instance sent, this telephone has received. */
function useThread(phone: Phone, { instance, group }: Chat) {
  const { mode } = usePlace()
  return useQuery({
    queryKey: [mode, 'messages', instance.id, 'of-phone', phone.phone, group?.id],
    queryFn: async (): Promise<Message[]> => {
      const found = group
        ? group.conversationId
        : (
            await api('test', 'GET /v1/instances/{id}/conversations', {
              ...{ params: [instance.id], query: { q: phone.phone } },
            })
          ).items.find(({ contact }) => contact?.phone === phone.phone)?.id
      if (!found) return []
      const { items } = await api('test', 'GET /v1/instances/{id}/messages', {
        ...{ params: [instance.id], query: { conversationId: found } },
      })
      return items.filter(arrived).toReversed()
    },
  })
}

/** Whether the instance types in this chat now. */
function useTyping(phone: Phone, { instance, group }: Chat): boolean {
  const { live } = usePlace()
  const [typing, setTyping] = useState(false)
  const chatId = group?.id ?? `${phone.phone}@s.whatsapp.net`
  useEffect(() => {
    let end: number | undefined
    const unlisten = live?.listenTyping((told) => {
      if (told.instanceId !== instance.id || told.chatId !== chatId) return
      window.clearTimeout(end)
      setTyping(true)
      end = window.setTimeout(() => setTyping(false), told.ms)
    })
    return () => {
      window.clearTimeout(end)
      unlisten?.()
    }
  }, [live, instance.id, chatId])
  return typing
}

/** What the instance sends is here once it has arrived. */
const arrived = ({ direction, status }: Message) =>
  direction === 'inbound' || status === 'delivered' || status === 'read'

function Thread({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const query = useThread(phone, chat)
  const typing = useTyping(phone, chat)
  const frame = useRef<HTMLDivElement>(null)
  const last = query.data?.at(-1)?.id
  useLayoutEffect(() => {
    if (frame.current) frame.current.scrollTop = frame.current.scrollHeight
  }, [last])
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'messages'] })
  return (
    <>
      <h2>{t.phone.received}</h2>
      <Load query={query}>
        {(messages) => {
          const unread = messages.filter(
            ({ direction, status }) => direction === 'outbound' && status === 'delivered',
          )
          if (messages.length === 0) return <p className="discreto">{t.phone.nothing}</p>
          return (
            <>
              <div
                className="fio"
                tabIndex={0}
                role="log"
                aria-label={t.phone.received}
                ref={frame}
              >
                <ol className="bolhas">
                  {messages.map((message) => (
                    <Bubble key={message.id} phone={phone} chat={chat} message={message} />
                  ))}
                </ol>
              </div>
              {unread.length > 0 && (
                <div>
                  <ActButton
                    label={
                      <>
                        <Check size={16} aria-hidden /> {t.phone.read(unread.length)}
                      </>
                    }
                    act={async () => {
                      const body = { waMessageIds: unread.map(({ waMessageId }) => waMessageId) }
                      await api('test', 'POST /v1/simulator/phones/{id}/read', {
                        ...{ params: [phone.id], body },
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
      <p className="discreto" role="status">
        {typing && t.phone.typing}
      </p>
    </>
  )
}

function Bubble({ phone, chat, message }: { phone: Phone; chat: Chat; message: Message }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const { direction, from, createdAt, waMessageId, deletedAt, poll, reaction } = message
  const own = direction === 'inbound' && from.phone === phone.phone
  const { error, busy, run } = useAct(async (work: () => Promise<unknown>) => {
    await work()
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  })
  const post = (body: object) =>
    run(() =>
      api('test', 'POST /v1/simulator/phones/{id}/messages', {
        params: [phone.id],
        body: { to: chat.to, ...body } as unknown as PhoneBody,
      }),
    )
  return (
    <li data-mine={own}>
      {chat.group && !own && <small>{from.name ?? from.phone}</small>}
      {reaction ? <div>{summaryOf(message)}</div> : <MessageContent message={message} />}
      <small className="discreto">
        <Time at={createdAt} />
      </small>
      {poll?.question && direction === 'outbound' && (
        <div className="linha">
          {poll.options.map(({ name }) => (
            <button
              key={name}
              type="button"
              className="botao"
              disabled={busy}
              onClick={() => post({ type: 'pollVote', waMessageId, options: [name] })}
            >
              {t.phone.vote(name)}
            </button>
          ))}
        </div>
      )}
      {!deletedAt && !reaction && (
        <div className="bolha-acoes">
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
                  api('test', 'DELETE /v1/simulator/phones/{id}/messages/{waMessageId}', {
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

function Writing({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>('text')
  const [sent, setSent] = useState(0)
  const [text, setText] = useState(t.phone.greeting)
  async function write(form: FormData) {
    const message = await readyBody('test', kind, form)
    const body = { to: chat.to, type: kind, ...message } as unknown as PhoneBody
    await api('test', 'POST /v1/simulator/phones/{id}/messages', { params: [phone.id], body })
    setText('')
    setKind('text')
    setSent(sent + 1)
    await client.invalidateQueries({ queryKey: [mode, 'cap'] })
  }
  return (
    <ActForm
      act={write}
      label={t.common.send}
      beside={<span className="discreto">{t.phone.cost}</span>}
    >
      {kind === 'text' ? (
        <Area
          label={t.phone.text2}
          name="text"
          rows={2}
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            if (text.trim()) event.currentTarget.form?.requestSubmit()
          }}
          required
        />
      ) : (
        <KindFields key={`${kind} ${sent}`} kind={kind} />
      )}
      <Choice
        label={t.messages.kind}
        value={kind}
        onChange={(event) => setKind(KINDS.find((one) => one === event.target.value) ?? 'text')}
        options={KINDS.map((one) => [one, t.kinds[one]] as const)}
      />
    </ActForm>
  )
}

/** Calls, and a group with the instance. */
function Calls({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const number = chat.instance.phone ?? ''
  const call = (video: boolean) => () =>
    api('test', 'POST /v1/simulator/phones/{id}/calls', {
      ...{ params: [phone.id], body: { to: number, video } },
    })
  return (
    <div className="linha">
      <ActButton
        label={
          <>
            <PhoneIcon size={16} aria-hidden /> {t.phone.voice}
          </>
        }
        act={call(false)}
      />
      <ActButton
        label={
          <>
            <Video size={16} aria-hidden /> {t.phone.video}
          </>
        }
        act={call(true)}
      />
      <ActButton
        label={
          <>
            <Users size={16} aria-hidden /> {t.phone.makeGroup}
          </>
        }
        act={async () => {
          await api('test', 'POST /v1/simulator/phones/{id}/groups', {
            ...{ params: [phone.id], body: { subject: t.phone.group, participants: [number] } },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
        }}
      />
    </div>
  )
}

function GroupActs({ phone, chat, group }: { phone: Phone; chat: Chat; group: Group }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const number = chat.instance.phone ?? ''
  const change = (action: 'promote' | 'demote' | 'remove' | 'leave') => async () => {
    await api('test', 'POST /v1/simulator/phones/{id}/groups/{groupId}/participants', {
      params: [phone.id, group.id],
      body: action === 'leave' ? { action } : { action, participants: [number] },
    })
    await client.invalidateQueries({ queryKey: [mode, 'groups'] })
  }
  return (
    <div className="linha">
      <ActButton label={t.phone.promote} act={change('promote')} />
      <ActButton label={t.phone.demote} act={change('demote')} />
      <ActButton label={t.phone.remove} act={change('remove')} />
      <ActButton label={t.phone.leave} act={change('leave')} />
      <ActButton
        label={t.phone.renameGroup}
        act={async () => {
          await api('test', 'PATCH /v1/simulator/phones/{id}/groups/{groupId}', {
            ...{ params: [phone.id, group.id], body: { subject: t.phone.groupRenamed } },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
        }}
      />
    </div>
  )
}
