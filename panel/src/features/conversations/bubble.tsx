import { useQueryClient } from '@tanstack/react-query'
import {
  Check,
  CheckCheck,
  CircleAlert,
  Clock,
  Pencil,
  Reply,
  RotateCcw,
  SmilePlus,
  Trash2,
  type LucideIcon,
} from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Message } from '../../data/api-types.ts'
import { resendBody, resendMessage } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { Area, CancelButton } from '../../ui/controls.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm, rawText, useAction } from '../../ui/form.tsx'
import { MessageContent, summaryOf } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { absolute, timeOfDay } from '../../ui/time.tsx'

const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']

/** The latest reaction of each person to a message, oldest first; withdrawn reactions are omitted. */
export function reactionsTo({ waMessageId }: Message, reactions: Message[]): string[] {
  const byPerson = new Map<string, string>()
  for (const { reaction, direction, from } of reactions) {
    if (reaction?.waMessageId !== waMessageId) continue
    const who = direction === 'outbound' ? 'me' : (from.phone ?? from.lid ?? '')
    byPerson.delete(who)
    if (reaction.emoji) byPerson.set(who, reaction.emoji)
  }
  return [...byPerson.values()]
}

const TICKS: Partial<Record<Message['status'], LucideIcon>> = {
  queued: Clock,
  sending: Clock,
  sent: Check,
  delivered: CheckCheck,
  read: CheckCheck,
  played: CheckCheck,
  failed: CircleAlert,
}

/** The status of a message as messengers draw it; its word is a tooltip, and read to screen readers. */
function Ticks({ status }: { status: Message['status'] }) {
  const Icon = TICKS[status]
  return (
    <span className="ticks" data-status={status} title={t.messages[status]}>
      {Icon && <Icon size={14} aria-hidden />}
      <span className="visually-hidden">{t.messages[status]}</span>
    </span>
  )
}

/**
 * A message of the thread with its reactions, time, status and actions. `continues` draws it as part of the group of
 * the message before it; `onQuote` starts a reply to it.
 */
export function Bubble(props: {
  message: Message
  continues: boolean
  /** Whether it is the one that a search led to. */
  wanted: boolean
  reactions: string[]
  onQuote: () => void
}) {
  const { message, continues, wanted, reactions, onQuote } = props
  const { direction, status, createdAt, from, chat, error } = message
  const mine = direction === 'outbound'
  return (
    <li data-mine={mine} data-continues={continues} data-wanted={wanted}>
      {chat.type === 'group' && !mine && !continues && (
        <small className="bubble-sender">{from.name ?? formatPhone(from.phone ?? '')}</small>
      )}
      <MessageContent message={message} />
      {reactions.length > 0 && <div className="reactions">{reactions.join(' ')}</div>}
      <small className="bubble-meta quiet">
        <time dateTime={createdAt} title={absolute(createdAt)}>
          {timeOfDay(Date.parse(createdAt))}
        </time>
        {mine && <Ticks status={status} />}
      </small>
      {error && <small className="status bad">{error.message}</small>}
      <MessageActions message={message} onQuote={onQuote} />
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

/** Actions on a message: reply, react, retry if it failed; edit and delete if it was sent from here. */
function MessageActions({ message, onQuote }: { message: Message; onQuote: () => void }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [open, setOpen] = useState<'react' | 'edit' | 'delete' | null>(null)
  const { id, instanceId, waMessageId, conversationId, direction, status, text, type } = message
  const refresh = async () => {
    setOpen(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  }
  const again = resendBody(message)
  const { error, busy, run } = useAction(async (work: () => Promise<unknown>) => {
    await work()
    await refresh()
  })
  const react = (emoji: string) => () =>
    callApi(mode, 'POST /v1/instances/{id}/messages/reaction', {
      params: [instanceId],
      body: {
        conversationId,
        waMessageId,
        emoji,
      },
    })
  if (message.deletedAt) return null
  const mine = direction === 'outbound'
  const failed = status === 'failed'
  const sentText = mine && type === 'text' && text !== null
  return (
    <>
      <div className="bubble-actions">
        {!failed && <IconButton icon={Reply} label={t.conversations.reply} onClick={onQuote} />}
        {!failed && (
          <IconButton
            icon={SmilePlus}
            label={t.conversations.react}
            onClick={() => setOpen(open === 'react' ? null : 'react')}
          />
        )}
        {failed && again && (
          <IconButton
            icon={RotateCcw}
            label={t.common.retry}
            disabled={busy}
            onClick={() => run(() => resendMessage(mode, message, again))}
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
        <div className="row">
          {EMOJI.map((emoji) => (
            <button
              key={emoji}
              type="button"
              className="button"
              disabled={busy}
              onClick={() => run(react(emoji))}
            >
              {emoji}
            </button>
          ))}
        </div>
      )}
      {error !== null && <ErrorBlock error={error} />}
      {open === 'edit' && (
        <Dialog title={t.conversations.edit} onClose={() => setOpen(null)}>
          <ActionForm
            label={t.common.save}
            secondary={<CancelButton onClick={() => setOpen(null)} />}
            act={async (form) => {
              await callApi(mode, 'PATCH /v1/instances/{id}/messages/{messageId}', {
                params: [instanceId, id],
                body: { text: rawText(form, 'text') },
              })
              await refresh()
            }}
          >
            <Area label={t.messages.text} name="text" defaultValue={text ?? ''} required />
          </ActionForm>
        </Dialog>
      )}
      {open === 'delete' && (
        <Confirm
          danger
          title={t.conversations.delete}
          text={t.conversations.deleteText(summaryOf(message))}
          onClose={() => setOpen(null)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/instances/{id}/messages/{messageId}', {
              params: [instanceId, id],
            })
            await refresh()
          }}
        />
      )}
    </>
  )
}
