import { Popover } from '@base-ui/react/popover'
import { useQueryClient } from '@tanstack/react-query'
import {
  Copy,
  Ellipsis,
  Forward,
  Pencil,
  Pin,
  PinOff,
  Reply,
  SmilePlus,
  Star,
  StarOff,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Area, CancelButton } from '../../ui/controls.tsx'
import { copyText } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionForm, rawText, useAction } from '../../ui/form.tsx'
import { ActionMenu } from '../../ui/menu.tsx'
import { summaryOf } from '../messages/message-content.tsx'
import { isPinned } from './pinned-bar.tsx'
import { ForwardDialog, isForwardable } from './forward-dialog.tsx'

const EMOJI = ['👍', '❤️', '😂', '😮', '🙏']
const PIN_SECONDS = [86_400, 604_800, 2_592_000] as const
type PinSeconds = (typeof PIN_SECONDS)[number]

const isOnNetwork = ({ status }: Message) =>
  status !== 'queued' && status !== 'sending' && status !== 'failed'

/** The entries that pin a message for a time, or that which unpins it. */
function pinGroup(message: Message, pin: (seconds: PinSeconds | null) => void) {
  if (isPinned(message))
    return {
      entries: [
        {
          label: t.conversations.unpin,
          icon: <PinOff size={16} aria-hidden />,
          act: () => pin(null),
        },
      ],
    }
  return {
    title: t.conversations.pinFor,
    entries: PIN_SECONDS.map((seconds) => ({
      label: t.conversations.pinDays(seconds / 86_400),
      icon: <Pin size={16} aria-hidden />,
      act: () => pin(seconds),
    })),
  }
}

/** What can be done with a message, beside its bubble: reply, react, and a menu to copy, forward, edit and delete it. */
export function BubbleActions({
  message,
  reaction,
  onQuote,
}: {
  message: Message
  /** The account's own reaction to it, or null. */
  reaction: string | null
  onQuote: () => void
}) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [open, setOpen] = useState<'edit' | 'delete' | 'forward' | null>(null)
  const { id, instanceId, direction, status, text, type } = message
  const isOwn = direction === 'outbound' && status !== 'failed'
  const refresh = async () => {
    setOpen(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
  }
  const pin = useAction(async (seconds: PinSeconds | null) => {
    const params: [string, string] = [instanceId, id]
    if (seconds === null)
      await callApi(mode, 'DELETE /v1/instances/{id}/messages/{messageId}/pin', { params })
    else
      await callApi(mode, 'PUT /v1/instances/{id}/messages/{messageId}/pin', {
        params,
        body: { seconds },
      })
    await refresh()
  })
  const star = useAction(async () => {
    const path = '/v1/instances/{id}/messages/{messageId}/star'
    const method = message.starred ? 'DELETE' : 'PUT'
    await callApi(mode, `${method} ${path}`, { params: [instanceId, id] })
    await refresh()
  })
  const copy = useAction(async () => {
    if (text !== null && !(await copyText(text))) throw new Error(t.common.notCopied)
  })
  const entries = [
    ...(text === null
      ? []
      : [
          {
            label: t.common.copy,
            icon: <Copy size={16} aria-hidden />,
            act: () => copy.run(),
          },
        ]),
    ...(isOnNetwork(message)
      ? [
          {
            label: message.starred ? t.conversations.unstar : t.conversations.star,
            icon: message.starred ? (
              <StarOff size={16} aria-hidden />
            ) : (
              <Star size={16} aria-hidden />
            ),
            act: () => star.run(),
          },
        ]
      : []),
    ...(isForwardable(message)
      ? [
          {
            label: t.conversations.forward,
            icon: <Forward size={16} aria-hidden />,
            act: () => setOpen('forward'),
          },
        ]
      : []),
    ...(isOwn && type === 'text' && text !== null
      ? [
          {
            label: t.conversations.edit,
            icon: <Pencil size={16} aria-hidden />,
            act: () => setOpen('edit'),
          },
        ]
      : []),
    ...(isOwn
      ? [
          {
            label: t.conversations.delete,
            icon: <Trash2 size={16} aria-hidden />,
            act: () => setOpen('delete'),
          },
        ]
      : []),
  ]
  return (
    <>
      <div className="bubble-actions">
        {status !== 'failed' && (
          <>
            <button
              type="button"
              title={t.conversations.reply}
              aria-label={t.conversations.reply}
              onClick={onQuote}
            >
              <Reply size={16} aria-hidden />
            </button>
            <ReactButton message={message} own={reaction} onDone={refresh} />
          </>
        )}
        {entries.length > 0 && (
          <ActionMenu
            align={isOwn ? 'end' : 'start'}
            trigger={
              <button type="button" title={t.common.actions} aria-label={t.common.actions}>
                <Ellipsis size={16} aria-hidden />
              </button>
            }
            groups={[{ entries }, ...(isOnNetwork(message) ? [pinGroup(message, pin.run)] : [])]}
          />
        )}
      </div>
      {copy.error !== null && <ErrorBlock error={copy.error} />}
      {star.error !== null && <ErrorBlock error={star.error} />}
      {pin.error !== null && <ErrorBlock error={pin.error} />}
      {open === 'forward' && <ForwardDialog message={message} onClose={() => setOpen(null)} />}
      {open === 'edit' && (
        <Dialog title={t.conversations.edit} onClose={() => setOpen(null)}>
          <ActionForm
            secondary={<CancelButton onClick={() => setOpen(null)} />}
            act={async (form) => {
              const next = rawText(form, 'text')
              if (next !== text)
                await callApi(mode, 'PATCH /v1/instances/{id}/messages/{messageId}', {
                  params: [instanceId, id],
                  body: { text: next },
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

/**
 * A button that offers a few emoji over the thread, which does not move. `own` is the account's reaction, which is
 * withdrawn by choosing it again.
 */
function ReactButton({
  message,
  own,
  onDone,
}: {
  message: Message
  own: string | null
  onDone: () => Promise<void>
}) {
  const { mode } = usePanel()
  const { instanceId, conversationId, waMessageId } = message
  const [open, setOpen] = useState(false)
  const { error, busy, run } = useAction(async (emoji: string) => {
    await callApi(mode, 'POST /v1/instances/{id}/messages/reaction', {
      params: [instanceId],
      body: { conversationId, waMessageId, emoji: emoji === own ? '' : emoji },
    })
    setOpen(false)
    await onDone()
  })
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        render={
          <button type="button" title={t.conversations.react} aria-label={t.conversations.react}>
            <SmilePlus size={16} aria-hidden />
          </button>
        }
      />
      <Popover.Portal container={document.querySelector('main')}>
        <Popover.Positioner className="menu-place" side="top" sideOffset={4}>
          <Popover.Popup className="menu quick-emoji" aria-label={t.conversations.react}>
            {EMOJI.map((emoji) => (
              <button
                key={emoji}
                type="button"
                disabled={busy}
                aria-pressed={emoji === own}
                onClick={() => run(emoji)}
              >
                {emoji}
              </button>
            ))}
            {error !== null && <ErrorBlock error={error} />}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}
