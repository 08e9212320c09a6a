import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  EllipsisVertical,
  Paperclip,
  Phone as PhoneIcon,
  SendHorizontal,
  Users,
  Video,
  X,
} from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Group, Phone } from '../../data/api-types.ts'
import { kindEntries } from '../messages/kind-entries.tsx'
import { KindFields, KINDS, buildBodyWithUpload, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { useInstances, usePhones } from '../../data/queries.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Choice, Empty } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { IconButton } from '../../ui/icon-button.tsx'
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
    return {
      key: id,
      name: `${name} · ${formatPhone(number ?? '')}`,
      to: number ?? '',
      instance,
      group: null,
    }
  })
  const shared = (groups.data ?? []).flat().map(({ instance, group }) => {
    return { key: group.id, name: group.subject, to: group.id, instance, group }
  })
  return [...direct, ...shared]
}

/** A chat of a simulator phone: thread, form to write, calls and group actions. */
export function PhoneChats(props: {
  phone: Phone
  /** The key of the open chat; the first one by default. */
  chosen: string | undefined
  onChoose: (key: string) => void
}) {
  const { phone, chosen, onChoose } = props
  const chats = useChats(phone)
  if (!chats) return null
  const chat = chats.find(({ key }) => key === chosen) ?? chats[0]
  if (!chat) return <Empty text={t.phone.noInstance} />
  return (
    <div className="stack-small">
      <section className="card device" aria-label={t.phone.chat}>
        <header className="device-head">
          <Avatar id={chat.to} name={chat.group?.subject ?? chat.instance.name} />
          <Choice
            quiet
            label={t.phone.to}
            value={chat.key}
            onChange={(event) => onChoose(event.target.value)}
            options={chats.map(({ key, name }) => [key, name] as const)}
          />
          <PhoneMenu phone={phone} chat={chat} />
        </header>
        <Thread key={chat.key} phone={phone} chat={chat} />
        <MessageForm key={`${chat.key} write`} phone={phone} chat={chat} />
      </section>
      {chat.group && <AddToGroup phone={phone} group={chat.group} />}
    </div>
  )
}

/** A reaction belongs to a message and has its button there. */
const WRITTEN = KINDS.filter((kind) => kind !== 'reaction' && kind !== 'text')

function MessageForm({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [kind, setKind] = useState<Kind>('text')
  const [text, setText] = useState(t.phone.greeting)
  const { error, busy, run } = useAction(async (form: FormData) => {
    const message = await buildBodyWithUpload('test', kind, form)
    const body = { to: chat.to, type: kind, ...message } as unknown as PhoneBody
    await callApi('test', 'POST /v1/simulator/phones/{id}/messages', { params: [phone.id], body })
    setText('')
    setKind('text')
    await client.invalidateQueries({ queryKey: [mode, 'cap'] })
  })
  return (
    <form
      className="reply"
      onSubmit={(event) => {
        event.preventDefault()
        if (kind !== 'text' || text.trim()) run(new FormData(event.currentTarget))
      }}
    >
      {error !== null && <ErrorBlock error={error} />}
      {kind !== 'text' && (
        <div className="reply-fields">
          <KindFields key={kind} kind={kind} />
        </div>
      )}
      <div className="reply-line">
        <ActionMenu
          side="top"
          trigger={<IconButton icon={Paperclip} size={20} label={t.teamInbox.attach} />}
          groups={[{ entries: kindEntries(WRITTEN, setKind) }]}
        />
        {kind === 'text' ? (
          <textarea
            name="text"
            rows={1}
            aria-label={t.phone.text2}
            placeholder={t.phone.text2}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              event.preventDefault()
              event.currentTarget.form?.requestSubmit()
            }}
          />
        ) : (
          <IconButton icon={X} label={t.common.cancel} onClick={() => setKind('text')} />
        )}
        <button
          type="submit"
          className="button primary reply-send"
          disabled={busy}
          title={`${t.common.send} (${t.phone.cost})`}
          aria-label={t.common.send}
        >
          <SendHorizontal size={20} aria-hidden />
        </button>
      </div>
    </form>
  )
}

/** What the phone can do besides writing: call the instance, create a group with it, and change the open group. */
function PhoneMenu({ phone, chat }: { phone: Phone; chat: Chat }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const number = chat.instance.phone ?? ''
  const { group } = chat
  const { error, run } = useAction(async (work: () => Promise<unknown>) => {
    await work()
    await client.invalidateQueries({ queryKey: [mode, 'groups'] })
  })
  const call = (video: boolean) => () =>
    run(() =>
      callApi('test', 'POST /v1/simulator/phones/{id}/calls', {
        params: [phone.id],
        body: { to: number, video },
      }),
    )
  const createGroup = () =>
    run(() =>
      callApi('test', 'POST /v1/simulator/phones/{id}/groups', {
        params: [phone.id],
        body: { subject: t.phone.group, participants: [number] },
      }),
    )
  const change = (groupId: string, action: 'promote' | 'demote' | 'remove' | 'leave') => () =>
    run(() =>
      callApi('test', 'POST /v1/simulator/phones/{id}/groups/{groupId}/participants', {
        params: [phone.id, groupId],
        body: action === 'leave' ? { action } : { action, participants: [number] },
      }),
    )
  const rename = (groupId: string) => () =>
    run(() =>
      callApi('test', 'PATCH /v1/simulator/phones/{id}/groups/{groupId}', {
        params: [phone.id, groupId],
        body: { subject: t.phone.groupRenamed },
      }),
    )
  const makeCommunity = (groupId: string) => () =>
    run(() =>
      callApi('test', 'POST /v1/simulator/phones/{id}/communities', {
        params: [phone.id],
        body: { subject: t.phone.community, groups: [groupId] },
      }),
    )
  const leaveCommunity = (groupId: string) => () =>
    run(() =>
      callApi('test', 'DELETE /v1/simulator/phones/{id}/groups/{groupId}/community', {
        params: [phone.id, groupId],
      }),
    )
  return (
    <>
      <ActionMenu
        align="end"
        trigger={<IconButton icon={EllipsisVertical} size={20} label={t.common.actions} />}
        groups={[
          {
            entries: [
              { label: t.phone.voice, icon: <PhoneIcon size={16} />, act: call(false) },
              { label: t.phone.video, icon: <Video size={16} />, act: call(true) },
              { label: t.phone.makeGroup, icon: <Users size={16} />, act: createGroup },
            ],
          },
          ...(group
            ? [
                {
                  title: group.subject,
                  entries: [
                    { label: t.phone.promote, act: change(group.id, 'promote') },
                    { label: t.phone.demote, act: change(group.id, 'demote') },
                    { label: t.phone.remove, act: change(group.id, 'remove') },
                    { label: t.phone.leave, act: change(group.id, 'leave') },
                    { label: t.phone.renameGroup, act: rename(group.id) },
                    ...(!group.community
                      ? [{ label: t.phone.makeCommunity, act: makeCommunity(group.id) }]
                      : []),
                    ...(group.community?.part === 'group'
                      ? [{ label: t.phone.leaveCommunity, act: leaveCommunity(group.id) }]
                      : []),
                  ],
                },
              ]
            : []),
        ]}
      />
      {error !== null && <ErrorBlock error={error} />}
    </>
  )
}

function AddToGroup({ phone, group }: { phone: Phone; group: Group }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const phones = usePhones()
  const absent = (phones.data ?? []).filter(
    (one) => !group.participants.some((member) => member.phone === one.phone),
  )
  if (absent.length === 0) return null
  return (
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
        options={absent.map(
          (one) => [one.phone, `${one.name} · ${formatPhone(one.phone)}`] as const,
        )}
      />
    </ActionForm>
  )
}
