import { useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, Hourglass, Pin, SquarePen } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { memberName } from '../../data/member-name.ts'
import { t } from '../../phrases/phrases.ts'
import { useAllLabels } from '../../data/queries.ts'
import { Dot } from '../../ui/dot.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { Choice } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { nameOf, senderOf } from '../../data/chats.ts'
import { storedPicture } from '../../data/pictures.ts'
import { usePanel } from '../../shell/page.tsx'
import { SavedViews } from '../../shell/saved-views.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { KIND_ICONS } from '../messages/kind-icons.ts'
import { plainText } from '../../ui/rich-text.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { MessengerTime, Since, useSince } from '../../ui/time.tsx'
import { StatusMark } from './thread-team.tsx'
import { Ticks } from './ticks.tsx'
import { IconButton } from '../../ui/icon-button.tsx'

const ROW_PX = 64
/** The next page is loaded when fewer rows than this are left. */
const NEAR_END_ROWS = 25

/** Waits shorter than this are not shown. */
const SHORT_WAIT_MS = 5 * 60_000
/** Waits longer than this are shown as a warning. */
const LONG_WAIT_MS = 30 * 60_000

/** The search parameters of the page: instance, open conversation, whether its details are shown, and filters. */
export type InboxFilter = 'instancia' | 'conversa' | 'mensagem' | 'sobre' | 'q' | 'etiqueta' | 'ver'
/** The search parameters that a saved view includes. */
const FILTERS = ['instancia', 'q', 'etiqueta', 'ver'] as const satisfies InboxFilter[]

/** The controls above the list: instance, search, and what to show. */
export function ListControls(props: {
  instances: Instance[]
  /** The chosen instance, or null for all. */
  instance: Instance | null
  onInstance: (id: string | undefined) => void
  /** Starts a conversation with someone who is not in the list. */
  onNew: () => void
}) {
  const { instances, instance, onInstance, onNew } = props
  const { mode } = usePanel()
  const { values, set } = useFilters<InboxFilter>()
  // Labels belong to an instance.
  const labels = useAllLabels(instance ? [instance.id] : [])
  const views = [
    [undefined, t.teamInbox.onlyOpen],
    ['nao-lidas', t.conversations.onlyUnread],
    ['minhas', t.teamInbox.mine],
  ] as const
  const rarer = [
    ['todas', t.conversations.everything],
    ['sem-resposta', t.teamInbox.awaitingReply],
    ['aguardando', t.teamInbox.onlyWaiting],
    ['sem-responsavel', t.teamInbox.unassigned],
    ['grupos', t.groups.title],
    ['concluidas', t.teamInbox.done],
    ['arquivadas', t.conversations.archived],
  ] as const
  const label = labels.find(({ id }) => id === values.etiqueta)
  const chosen = rarer.find(([view]) => view === values.ver)?.[1] ?? label?.name
  return (
    <div className="inbox-controls">
      {instances.length > 1 && (
        <Choice
          quiet
          label={t.campaigns.instance}
          value={instance?.id ?? ''}
          onChange={(event) => onInstance(event.target.value || undefined)}
          options={[
            ['', t.conversations.allInstances],
            ...instances.map(({ id, name }) => [id, name] as const),
          ]}
        />
      )}
      <div className="inbox-search">
        <SearchField
          label={t.conversations.searchAll}
          value={values.q}
          onSearch={(q) => set({ q }, { replace: true })}
        />
        <SavedViews compact page={`conversas.${mode}`} names={FILTERS} />
        <IconButton
          icon={SquarePen}
          label={t.conversations.start}
          className="button icon"
          onClick={onNew}
        />
      </div>
      <div className="chips" role="group" aria-label={t.conversations.show}>
        {views.map(([view, name]) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={(values.ver === 'abertas' ? undefined : values.ver) === view}
            onClick={() => set({ ver: view }, { replace: false })}
          >
            {name}
          </button>
        ))}
        <ActionMenu
          trigger={
            <button
              type="button"
              className="chip"
              aria-label={t.teamInbox.more}
              aria-pressed={chosen !== undefined}
            >
              {chosen ?? t.teamInbox.moreShort} <ChevronDown size={12} aria-hidden />
            </button>
          }
          groups={[
            {
              entries: rarer.map(([view, name]) => ({
                label: name,
                checked: values.ver === view,
                act: () => set({ ver: values.ver === view ? undefined : view }, { replace: false }),
              })),
            },
            ...(labels.length > 0
              ? [
                  {
                    title: t.labels.title,
                    entries: labels.map(({ id, name, color }) => ({
                      label: name,
                      icon: <Dot color={color} />,
                      checked: values.etiqueta === id,
                      act: () =>
                        set(
                          { etiqueta: values.etiqueta === id ? undefined : id },
                          { replace: false },
                        ),
                    })),
                  },
                ]
              : []),
          ]}
        />
      </div>
    </div>
  )
}

/** Virtualized: only visible rows are in the DOM, so that thousands scroll smoothly. */
export function ConversationList(props: {
  instances: Instance[]
  /** Whether a row names its instance. */
  mixed: boolean
  items: Conversation[]
  open: string | undefined
  onChoose: (id: string) => void
  onEnd: () => void
}) {
  const { instances, mixed, items, open, onChoose, onEnd } = props
  const frame = useRef<HTMLDivElement>(null)
  const shown = mixed ? [...new Set(items.map(({ instanceId }) => instanceId))] : []
  const [only] = instances
  const labels = useAllLabels(mixed ? shown : only ? [only.id] : [])
  const colors = new Map(labels.map((one) => [one.id, one]))
  const names = new Map(instances.map(({ id, name }) => [id, name]))
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const seen = rows.getVirtualItems()
  const last = seen.at(-1)?.index ?? 0
  const near = last >= items.length - NEAR_END_ROWS
  useEffect(() => {
    if (near) onEnd()
  })
  const at = items.findIndex(({ id }) => id === open)
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at)
    // Only when another conversation is opened, not when the list changes.
  }, [open])
  return (
    <div className="inbox-rows" ref={frame}>
      <ul style={{ height: rows.getTotalSize() }}>
        {seen.map(({ index, start }) => {
          const conversation = items[index]
          if (!conversation) return null
          const { id, labelIds } = conversation
          return (
            <li
              key={id}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row
                conversation={conversation}
                labels={labelIds.flatMap((labelId) => colors.get(labelId) ?? [])}
                from={mixed ? names.get(conversation.instanceId) : undefined}
                open={id === open}
                onChoose={onChoose}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Row(props: {
  conversation: Conversation
  labels: { id: string; name: string; color: string }[]
  /** The name of the instance. */
  from: string | undefined
  open: boolean
  onChoose: (id: string) => void
}) {
  const { conversation, labels, from, open, onChoose } = props
  const { mode } = usePanel()
  const { id, chat, unreadCount, lastMessage, lastMessageAt, assignee, status } = conversation
  const { pinned, waitingSince, lastMessageStatus, lastMessageFrom } = conversation
  const name = nameOf(conversation)
  const wait = useSince(waitingSince)
  const Icon = lastMessage && KIND_ICONS[lastMessage.type]
  const text = plainText(lastMessage?.text ?? (lastMessage ? t.kinds[lastMessage.type] : ''))
  return (
    <button type="button" aria-current={open ? 'true' : undefined} onClick={() => onChoose(id)}>
      <Avatar id={chat.id} name={name} picture={storedPicture(mode, conversation)} listed />
      <span className="inbox-row" data-unread={unreadCount > 0}>
        <span className="spread">
          <span className="truncate">
            <strong>{name}</strong>
            {from && <small className="quiet"> · {from}</small>}
          </span>
          {lastMessageAt && (
            <small className="quiet">
              <MessengerTime at={lastMessageAt} />
            </small>
          )}
        </span>
        <span className="spread">
          <span className="quiet truncate">
            {lastMessage?.fromMe && (
              <>
                <span className="visually-hidden">{t.conversations.you}: </span>
                {lastMessageStatus && <Ticks status={lastMessageStatus} />}
              </>
            )}
            {chat.type === 'group' && lastMessageFrom && `${senderOf(lastMessageFrom)}: `}
            {Icon && <Icon className="kind-icon" size={14} aria-hidden />}
            {text}
          </span>
          <span className="row">
            {labels.map((label) => (
              <Dot key={label.id} color={label.color} title={label.name} />
            ))}
            {waitingSince && wait >= SHORT_WAIT_MS && (
              <small className="waiting" data-long={wait >= LONG_WAIT_MS}>
                <Hourglass size={12} aria-hidden />
                <Since at={waitingSince} words={t.teamInbox.waitingSince} />
              </small>
            )}
            {pinned && (
              <span className="status-mark" title={t.conversations.pinned}>
                <Pin size={14} aria-hidden />
                <span className="visually-hidden">{t.conversations.pinned}</span>
              </span>
            )}
            <StatusMark status={status} />
            {assignee && (
              <span title={t.teamInbox.assignedTo(assignee.email)}>
                <Avatar small id={assignee.id} name={memberName(assignee)} />
                <span className="visually-hidden">
                  {t.teamInbox.assignedTo(memberName(assignee))}
                </span>
              </span>
            )}
            {unreadCount > 0 && (
              <span className="badge">
                <span aria-hidden>{unreadCount}</span>
                <span className="visually-hidden">{t.conversations.unread(unreadCount)}</span>
              </span>
            )}
          </span>
        </span>
      </span>
    </button>
  )
}
