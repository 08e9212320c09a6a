import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import type { Message } from '../../data/api-types.ts'
import { nameOf } from '../../data/chats.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { CancelButton, Empty, Skeleton } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
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

/** Sends a message again to a conversation of the same instance that is chosen here, and opens that one. */
export function ForwardDialog({ message, onClose }: { message: Message; onClose: () => void }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [q, setQ] = useState('')
  const { data, error } = useQuery({
    queryKey: [mode, 'conversations', 'forward', message.instanceId, q],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/conversations', {
        params: [message.instanceId],
        query: { limit: SHOWN, ...(q.trim() ? { q: q.trim() } : {}) },
      }),
  })
  const forwarding = useAction(async (conversationId: string) => {
    await callOnce([mode, 'forward', message.id, conversationId], (key) =>
      callApi(mode, 'POST /v1/instances/{id}/messages/{messageId}/forward', {
        params: [message.instanceId, message.id],
        body: { conversationId },
        key,
      }),
    )
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    onClose()
    await navigate({
      to: '/$modo/conversas',
      params: { modo },
      search: { conversa: conversationId },
    })
  })
  const failure = forwarding.error ?? error
  return (
    <Dialog title={t.conversations.forward} onClose={onClose}>
      <SearchField label={t.conversations.searchPeople} value={q} onSearch={setQ} />
      {failure !== null && <ErrorBlock error={failure} />}
      {!data && failure === null && <Skeleton />}
      {data?.items.length === 0 && <Empty text={t.conversations.noneFound} />}
      <ul className="forward-list">
        {data?.items.map((conversation) => (
          <li key={conversation.id}>
            <button
              type="button"
              disabled={forwarding.busy}
              onClick={() => forwarding.run(conversation.id)}
            >
              <Avatar id={conversation.chat.id} name={nameOf(conversation)} small />
              <span className="truncate">{nameOf(conversation)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div>
        <CancelButton onClick={onClose} />
      </div>
    </Dialog>
  )
}
