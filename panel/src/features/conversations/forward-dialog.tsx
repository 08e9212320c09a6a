import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import type { Conversation, Message } from '../../data/api-types.ts'
import { nameOf } from '../../data/chats.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CancelButton, Empty, Skeleton } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { notify } from '../../ui/notify.ts'
import { SearchField } from '../../ui/search-field.tsx'

const SHOWN = 30
const FORWARDABLE = new Set([
  'text',
  'image',
  'video',
  'audio',
  'document',
  'sticker',
  'location',
  'contact',
  'poll',
])

/** Whether phones forward a message like this one. */
export const isForwardable = ({ type, viewOnce, deletedAt, media, status }: Message): boolean =>
  FORWARDABLE.has(type) &&
  !viewOnce &&
  deletedAt === null &&
  status !== 'failed' &&
  media?.status !== 'expired'

/** Maximum conversations that a message is forwarded to at once, as on WhatsApp. */
const MAX_CHATS = 5

/** Sends a message again to conversations of the same instance that are chosen here; opens it if it is only one. */
export function ForwardDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<Conversation[]>([])
  const { data, error } = useQuery({
    queryKey: [mode, 'conversations', 'forward', message.instanceId, q],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/conversations', {
        params: [message.instanceId],
        query: { limit: SHOWN, ...(q.trim() ? { q: q.trim() } : {}) },
      }),
  })
  /** The conversations that have the message already. */
  const done = useRef<string[]>([])
  /** Closing stops the rest. */
  const isClosed = useRef(false)
  function close(): void {
    isClosed.current = true
    onClose()
  }
  const toggle = (one: Conversation, on: boolean) =>
    setChosen((before) => [...before.filter(({ id }) => id !== one.id), ...(on ? [one] : [])])
  const forwarding = useAction(async () => {
    for (const one of chosen) {
      if (isClosed.current) return
      await callOnce([mode, 'forward', message.id, one.id], (key) =>
        callApi(mode, 'POST /v1/instances/{id}/messages/{messageId}/forward', {
          params: [message.instanceId, message.id],
          body: { conversationId: one.id },
          key,
        }),
      )
      // After a failure, those that have it are not sent it again.
      done.current.push(one.id)
      toggle(one, false)
    }
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    if (isClosed.current) return
    close()
    const [only, ...others] = done.current
    if (others.length > 0) return notify(t.conversations.forwardedTo(done.current.length))
    await navigate({ to: '/$modo/conversas', params: { modo }, search: { conversa: only } })
  })
  const failure = forwarding.error ?? error
  return (
    <Dialog title={t.conversations.forward} onClose={close}>
      <SearchField label={t.conversations.searchPeople} value={q} onSearch={setQ} />
      {!data && failure === null && <Skeleton />}
      {data?.items.length === 0 && <Empty text={t.conversations.noneFound} />}
      <ul className="forward-list" aria-label={t.conversations.title}>
        {data?.items.map((one) => {
          const isChosen = chosen.some(({ id }) => id === one.id)
          return (
            <li key={one.id}>
              <label>
                <input
                  type="checkbox"
                  checked={isChosen}
                  disabled={forwarding.busy || (!isChosen && chosen.length >= MAX_CHATS)}
                  onChange={(event) => toggle(one, event.target.checked)}
                />
                <Avatar id={one.chat.id} name={nameOf(one)} small />
                <span className="truncate">{nameOf(one)}</span>
              </label>
            </li>
          )
        })}
      </ul>
      <p className="quiet" role="status">
        {chosen.length > 0 && t.conversations.forwardTo(chosen.map(nameOf))}{' '}
        {(chosen.length === 0 || chosen.length === MAX_CHATS) &&
          t.conversations.forwardHint(MAX_CHATS)}
      </p>
      {failure !== null && <ErrorBlock error={failure} />}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={forwarding.busy || chosen.length === 0}
          onClick={() => forwarding.run()}
        >
          {t.conversations.forward}
        </button>
        <CancelButton onClick={close} />
      </div>
    </Dialog>
  )
}
