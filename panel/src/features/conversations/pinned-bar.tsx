import { useQuery } from '@tanstack/react-query'
import { Pin } from 'lucide-react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { plainText } from '../../ui/rich-text.tsx'
import { summaryOf } from '../messages/message-content.tsx'

/** Maximum pinned messages; more than phones allow per chat, so the bar scrolls. */
const MOST = 10

/** Whether a message is pinned now. */
export const isPinned = ({ pinnedUntil }: Message): boolean =>
  pinnedUntil !== undefined && Date.parse(pinnedUntil) > Date.now()

/** The pinned messages of a conversation, each of which leads to its place in the thread. */
export function PinnedBar(props: {
  conversation: Conversation
  onGo: (waMessageId: string) => void
}) {
  const { conversation, onGo } = props
  const { mode } = usePanel()
  const { id: conversationId, instanceId } = conversation
  const { data } = useQuery({
    queryKey: [mode, 'messages', instanceId, 'pinned', conversationId],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/messages', {
        params: [instanceId],
        query: { conversationId, pinned: true, limit: MOST },
      }),
  })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <ul className="pinned-bar" aria-label={t.conversations.pinnedMessages}>
      {items.map((message) => (
        <li key={message.id}>
          <button type="button" onClick={() => onGo(message.waMessageId)}>
            <Pin size={14} aria-hidden />
            <span className="truncate">{plainText(summaryOf(message))}</span>
          </button>
        </li>
      ))}
    </ul>
  )
}
