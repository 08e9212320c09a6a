import { Popover } from '@base-ui/react/popover'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { AtSign, Bell as BellIcon, TriangleAlert } from 'lucide-react'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callApi } from '../data/api.ts'
import type { Conversation, UnreadMention } from '../data/api-types.ts'
import { TROUBLED, useProblems } from '../data/problems.ts'
import { nameOf } from '../data/chats.ts'
import { useMentions } from '../data/mentions.ts'
import { useInstances } from '../data/queries.ts'
import { shortName } from '../data/member-name.ts'
import { t } from '../phrases/phrases.ts'
import { Avatar } from '../ui/avatar.tsx'
import { Check } from '../ui/controls.tsx'
import { formatPhone } from '../ui/phone-number.ts'
import { MessengerTime } from '../ui/time.tsx'
import { alertOf, alertOfMention, isOn, turn, type DesktopChoice } from './desktop-alerts.ts'
import { setUnread } from './page-title.ts'
import { usePanel } from './page.tsx'

/** Unread conversations that are counted; more are shown as "99+". */
const MAX_COUNT = 99
const SHOWN = 6

/** The newest unread conversations of all instances. */
function useUnread() {
  const { mode } = usePanel()
  const { data } = useQuery({
    queryKey: [mode, 'conversations', 'unread'],
    queryFn: () =>
      callApi(mode, 'GET /v1/conversations', { query: { unread: true, limit: MAX_COUNT + 1 } }),
  })
  return data?.items ?? []
}

/** Calls `notify` with each mention that arrives after the page was loaded. */
function useNewMentions(
  mentions: UnreadMention[] | null,
  notify: (mention: UnreadMention) => void,
) {
  const known = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!mentions) return
    for (const mention of mentions) {
      if (known.current && !known.current.has(mention.noteId)) notify(mention)
    }
    known.current = new Set(mentions.map(({ noteId }) => noteId))
  }, [mentions, notify])
}

/** What waits for the user: mentions, unread conversations and problems, with a count. Also notifies of messages. */
export function Bell() {
  const { live, mode, modo } = usePanel()
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const unread = useUnread()
  const troubled = (useInstances().data?.items ?? []).filter(({ status }) =>
    TROUBLED.includes(status),
  )
  const loaded = useMentions(mode)
  const mentions = loaded ?? []
  const openConversation = useCallback(
    (conversa: string) =>
      void navigate({ to: '/$modo/conversas', params: { modo }, search: { conversa } }),
    [navigate, modo],
  )
  useEffect(
    () => live?.subscribe((envelope) => alertOf(envelope, openConversation)),
    [live, openConversation],
  )
  useNewMentions(
    loaded,
    useCallback((mention) => alertOfMention(mention, openConversation), [openConversation]),
  )
  const people = unread.length > MAX_COUNT ? `${MAX_COUNT}+` : String(unread.length || '')
  useEffect(() => {
    setUnread(people)
    return () => setUnread('')
  }, [people])
  const count = unread.length + troubled.length + mentions.length
  const shown = count > MAX_COUNT ? `${MAX_COUNT}+` : String(count)
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className="button icon plain bell"
        aria-label={count > 0 ? t.bell.waiting(count) : t.bell.title}
        title={t.bell.title}
      >
        <BellIcon size={20} aria-hidden />
        {count > 0 && (
          <span className="badge" aria-hidden>
            {shown}
          </span>
        )}
      </Popover.Trigger>
      <Popover.Portal container={document.querySelector('main')}>
        <Popover.Positioner className="menu-place" side="bottom" align="start" sideOffset={4}>
          <Popover.Popup className="menu bell-popup" aria-label={t.bell.title}>
            <Waiting
              mentions={mentions.slice(0, SHOWN)}
              unread={unread.slice(0, SHOWN)}
              onClose={() => setOpen(false)}
            />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Waiting(props: {
  mentions: UnreadMention[]
  unread: Conversation[]
  onClose: () => void
}) {
  const { mentions, unread, onClose } = props
  const { modo } = usePanel()
  const problems = useProblems()
  return (
    <>
      {problems.length > 0 && (
        <ul className="bell-list">
          {problems.map(({ key, to, search, title, text }) => (
            <li key={key}>
              <Link to={to} search={search} onClick={onClose}>
                <TriangleAlert className="status bad" size={20} aria-hidden />
                <span className="bell-words">
                  <strong className="truncate">{title}</strong>
                  <small className="quiet truncate">{text}</small>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {mentions.length > 0 && (
        <ul className="bell-list">
          {mentions.map((mention) => (
            <li key={mention.noteId}>
              <Link
                to="/$modo/conversas"
                params={{ modo }}
                search={{ conversa: mention.conversationId }}
                onClick={onClose}
              >
                <MentionLine mention={mention} />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {unread.length > 0 && (
        <ul className="bell-list">
          {unread.map((conversation) => (
            <li key={conversation.id}>
              <Link
                to="/$modo/conversas"
                params={{ modo }}
                search={{ conversa: conversation.id }}
                onClick={onClose}
              >
                <UnreadLine conversation={conversation} />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {problems.length + mentions.length + unread.length === 0 && (
        <p className="bell-none quiet">{t.bell.nothing}</p>
      )}
      <div className="bell-choices">
        <Choice choice="notify" label={t.bell.notify} />
        <Choice choice="sound" label={t.bell.sound} />
      </div>
    </>
  )
}

function MentionLine({ mention }: { mention: UnreadMention }) {
  const { chatName, chatPhone, author, text, createdAt } = mention
  const chat = chatName ?? (chatPhone === null ? null : formatPhone(chatPhone))
  return (
    <>
      <AtSign size={20} aria-hidden />
      <span className="bell-words">
        <span className="spread">
          <strong className="truncate">
            {t.bell.mentionedBy(author.name ? shortName(author.name) : t.teamInbox.formerMember)}
          </strong>
          <small className="quiet">
            <MessengerTime at={createdAt} />
          </small>
        </span>
        <small className="quiet truncate">
          {chat !== null && `${chat}: `}
          {text}
        </small>
      </span>
    </>
  )
}

function UnreadLine({ conversation }: { conversation: Conversation }) {
  const { chat, lastMessage } = conversation
  const name = nameOf(conversation)
  const text = lastMessage?.text ?? (lastMessage ? t.kinds[lastMessage.type] : '')
  return (
    <>
      <Avatar small id={chat.id} name={name} />
      <span className="bell-words">
        <span className="spread">
          <strong className="truncate">{name}</strong>
          {lastMessage && (
            <small className="quiet">
              <MessengerTime at={lastMessage.at} />
            </small>
          )}
        </span>
        <small className="quiet truncate">
          {lastMessage?.fromMe && `${t.conversations.you}: `}
          {text}
        </small>
      </span>
    </>
  )
}

/** What this browser does when a message arrives while the page is in the background. */
function Choice({ choice, label }: { choice: DesktopChoice; label: string }) {
  const [on, setOn] = useState(() => isOn(choice))
  const [refused, setRefused] = useState(false)
  return (
    <>
      <Check
        label={label}
        checked={on}
        onChange={(event) => {
          const wanted = event.target.checked
          void turn(choice, wanted).then((is) => {
            setOn(is)
            setRefused(wanted && !is)
          })
        }}
      />
      {refused && <small className="status bad">{t.bell.refused}</small>}
    </>
  )
}
