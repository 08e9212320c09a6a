import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Phone as PhoneIcon, Users, Video } from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Group, Phone } from '../../data/api-types.ts'
import { KindFields, KINDS, buildBodyWithUpload, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { useInstances, usePhones } from '../../data/queries.ts'
import { Area, Choice, Empty } from '../../ui/controls.tsx'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { Thread, type Chat, type PhoneBody } from './phone-thread.tsx'

/** The chats of a simulator phone: every connected instance, and the groups it shares with them. */
function useChats(phone: Phone): Chat[] | undefined {
  const { mode } = usePanel()
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
          const { items } = await callApi('test', 'GET /v1/instances/{id}/groups', {
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

/** A chat of a simulator phone: thread, form to write, calls and group actions. */
export function PhoneChats(props: {
  phone: Phone
  /** The key of the open chat; the first if it is none. */
  chosen: string | undefined
  onChoose: (key: string) => void
}) {
  const { phone, chosen, onChoose } = props
  const chats = useChats(phone)
  if (!chats) return null
  const chat = chats.find(({ key }) => key === chosen) ?? chats[0]
  if (!chat) return <Empty text={t.phone.noInstance} />
  return (
    <section className="card device" aria-label={t.phone.chat}>
      <Choice
        label={t.phone.to}
        value={chat.key}
        onChange={(event) => onChoose(event.target.value)}
        options={chats.map(({ key, name }) => [key, name] as const)}
      />
      <Thread key={chat.key} phone={phone} chat={chat} />
      <MessageForm key={`${chat.key} write`} phone={phone} chat={chat} />
      <Calls phone={phone} chat={chat} />
      {chat.group && <GroupActions phone={phone} chat={chat} group={chat.group} />}
    </section>
  )
}

function MessageForm({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>('text')
  const [sent, setSent] = useState(0)
  const [text, setText] = useState(t.phone.greeting)
  async function write(form: FormData) {
    const message = await buildBodyWithUpload('test', kind, form)
    const body = { to: chat.to, type: kind, ...message } as unknown as PhoneBody
    await callApi('test', 'POST /v1/simulator/phones/{id}/messages', { params: [phone.id], body })
    setText('')
    setKind('text')
    setSent(sent + 1)
    await client.invalidateQueries({ queryKey: [mode, 'cap'] })
  }
  return (
    <ActionForm
      act={write}
      label={t.common.send}
      secondary={<span className="quiet">{t.phone.cost}</span>}
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
    </ActionForm>
  )
}

/** Buttons to call the instance, and to create a group with it. */
function Calls({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const number = chat.instance.phone ?? ''
  const call = (video: boolean) => () =>
    callApi('test', 'POST /v1/simulator/phones/{id}/calls', {
      params: [phone.id],
      body: {
        to: number,
        video,
      },
    })
  return (
    <div className="row">
      <ActionButton
        label={
          <>
            <PhoneIcon size={16} aria-hidden /> {t.phone.voice}
          </>
        }
        act={call(false)}
      />
      <ActionButton
        label={
          <>
            <Video size={16} aria-hidden /> {t.phone.video}
          </>
        }
        act={call(true)}
      />
      <ActionButton
        label={
          <>
            <Users size={16} aria-hidden /> {t.phone.makeGroup}
          </>
        }
        act={async () => {
          await callApi('test', 'POST /v1/simulator/phones/{id}/groups', {
            params: [phone.id],
            body: {
              subject: t.phone.group,
              participants: [number],
            },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
        }}
      />
    </div>
  )
}

function GroupActions({ phone, chat, group }: { phone: Phone; chat: Chat; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const number = chat.instance.phone ?? ''
  const phones = usePhones()
  const absent = (phones.data ?? []).filter(
    (one) => !group.participants.some((member) => member.phone === one.phone),
  )
  const change = (action: 'promote' | 'demote' | 'remove' | 'leave') => async () => {
    await callApi('test', 'POST /v1/simulator/phones/{id}/groups/{groupId}/participants', {
      params: [phone.id, group.id],
      body: action === 'leave' ? { action } : { action, participants: [number] },
    })
    await client.invalidateQueries({ queryKey: [mode, 'groups'] })
  }
  return (
    <div className="row">
      <ActionButton label={t.phone.promote} act={change('promote')} />
      <ActionButton label={t.phone.demote} act={change('demote')} />
      <ActionButton label={t.phone.remove} act={change('remove')} />
      <ActionButton label={t.phone.leave} act={change('leave')} />
      <ActionButton
        label={t.phone.renameGroup}
        act={async () => {
          await callApi('test', 'PATCH /v1/simulator/phones/{id}/groups/{groupId}', {
            params: [phone.id, group.id],
            body: { subject: t.phone.groupRenamed },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
        }}
      />
      {absent.length > 0 && (
        <ActionForm
          label={t.groups.add}
          act={async (form) => {
            await callApi('test', 'POST /v1/simulator/phones/{id}/groups/{groupId}/participants', {
              params: [phone.id, group.id],
              body: { action: 'add', participants: [trimmedText(form, 'who')] },
            })
            await client.invalidateQueries({ queryKey: [mode, 'groups'] })
          }}
        >
          <Choice
            label={t.phone.who}
            name="who"
            options={absent.map((one) => [one.phone, `${one.name} · ${one.phone}`] as const)}
          />
        </ActionForm>
      )}
    </div>
  )
}
