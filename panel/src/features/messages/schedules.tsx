import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { ScheduledMessage } from '../../data/api-types.ts'
import type { Kind } from './compose.tsx'
import { nameOf } from '../../data/chats.ts'
import { t } from '../../phrases/phrases.ts'
import { formatPhone } from '../../ui/phone-number.ts'
import { StatusBadge, type Tone } from '../../ui/controls.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { absoluteMinute } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'

const TONES: Record<ScheduledMessage['status'], Tone> = {
  scheduled: 'neutral',
  sent: 'ok',
  failed: 'bad',
  canceled: 'neutral',
}

type StoredBody = {
  type: Kind
  to?: string
  conversationId?: string
  text?: string
  caption?: string
  question?: string
}

/** The scheduled messages of an instance, with a button to cancel each that waits; nothing if there are none. */
export function Schedules({ id }: { id: string }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const query = usePages([mode, 'schedules', id], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/scheduled-messages', { params: [id], query: page }),
  )
  const items = query.data ?? []
  async function cancel(schedule: ScheduledMessage) {
    await callApi(mode, 'POST /v1/instances/{id}/scheduled-messages/{scheduleId}/cancel', {
      params: [id, schedule.id],
    })
    await client.invalidateQueries({ queryKey: [mode, 'schedules'] })
  }
  if (items.length === 0) return null
  return (
    <section className="stack-small" aria-labelledby="agendadas">
      <h2 id="agendadas">{t.schedules.title}</h2>
      <Table
        caption={t.schedules.title}
        rows={items}
        keyOf={(schedule) => schedule.id}
        columns={[
          { head: t.schedules.at, cell: ({ sendAt }) => absoluteMinute(Date.parse(sendAt)) },
          {
            head: t.messages.to,
            cell: ({ message }) => <Recipient body={message as StoredBody} />,
          },
          { head: t.messages.kind, cell: ({ message }) => t.kinds[(message as StoredBody).type] },
          {
            head: t.messages.text,
            width: 'grow',
            cell: ({ message }) => textOf(message as StoredBody),
          },
          {
            head: t.common.status,
            width: 'wrap',
            cell: ({ status, error }) => (
              <>
                <StatusBadge tone={TONES[status]}>{t.schedules[status]}</StatusBadge>
                {error && <div className="quiet">{error.message}</div>}
              </>
            ),
          },
          {
            head: t.common.actions,
            quiet: true,
            cell: (schedule) =>
              schedule.status === 'scheduled' && (
                <ActionButton label={t.schedules.cancel} act={() => cancel(schedule)} />
              ),
          },
        ]}
      />
      <MoreButton query={query} found={items.length} />
    </section>
  )
}

/** Whom a message is for: the number that it names, or the name of its conversation. */
function Recipient({ body: { to, conversationId } }: { body: StoredBody }) {
  const { mode } = usePanel()
  const chat = useQuery({
    queryKey: [mode, 'conversations', 'one', conversationId],
    queryFn: () => callApi(mode, 'GET /v1/conversations/{id}', { params: [conversationId ?? ''] }),
    enabled: conversationId !== undefined,
  })
  if (to !== undefined) return formatPhone(to)
  return chat.data ? nameOf(chat.data) : ''
}

const textOf = ({ text, caption, question }: StoredBody) => text ?? caption ?? question ?? ''
