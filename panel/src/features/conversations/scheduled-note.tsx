import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CalendarClock } from 'lucide-react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { absoluteMinute } from '../../ui/time.tsx'

const LOADED = 200

/** How many messages are scheduled for a conversation and when the next one leaves, with a link to them. */
export function ScheduledNote(props: { instance: Instance; conversation: Conversation }) {
  const { instance, conversation } = props
  const { mode, modo } = usePanel()
  const { data } = useQuery({
    queryKey: [mode, 'schedules', instance.id, 'waiting'],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/scheduled-messages', {
        params: [instance.id],
        query: { status: 'scheduled', limit: LOADED },
      }),
  })
  const phone = conversation.contact?.phone
  const times = (data?.items ?? [])
    .filter(({ message }) => {
      const { conversationId, to } = message as { conversationId?: string; to?: string }
      return conversationId === conversation.id || (phone && to?.replace(/\D/g, '') === phone)
    })
    .map(({ sendAt }) => sendAt)
    .toSorted()
  const [next] = times
  if (next === undefined) return null
  return (
    <p className="quiet reply-note">
      <CalendarClock size={14} aria-hidden />
      <Link to="/$modo/instancias/$id/mensagens" params={{ modo, id: instance.id }}>
        {t.schedules.waiting(times.length)}
      </Link>
      <time dateTime={next}>{absoluteMinute(Date.parse(next))}</time>
    </p>
  )
}
