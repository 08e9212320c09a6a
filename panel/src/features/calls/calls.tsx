import { useQueryClient } from '@tanstack/react-query'
import { callApi, curlCommand } from '../../data/api.ts'
import type { Call, Instance } from '../../data/api-types.ts'
import { triggerEvent } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import {
  CollectionPage,
  EventHistory,
  type CollectionFilter,
} from '../../shell/instance-collections.tsx'
import { StatusBadge, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { useTalk } from '../contacts/use-talk.tsx'

/** The calls of an instance, and the events of a selected call. */
export function Calls() {
  return (
    <CollectionPage title={t.calls.title} text={t.calls.text}>
      {(instance) => <CallList instance={instance} />}
    </CollectionPage>
  )
}

function CallList({ instance }: { instance: Instance }) {
  const { mode, me } = usePanel()
  const client = useQueryClient()
  const { values, set } = useFilters<CollectionFilter>()
  const query = usePages([mode, 'calls', instance.id], (page) =>
    callApi(mode, 'GET /v1/instances/{id}/calls', { params: [instance.id], query: page }),
  )
  const { entriesOf, starting } = useTalk(instance)
  async function reject({ id }: Call) {
    await callApi(mode, 'POST /v1/instances/{id}/calls/{callId}/reject', {
      params: [instance.id, id],
    })
    await client.invalidateQueries({ queryKey: [mode, 'calls'] })
  }
  const cause = mode === 'test' && canDevelop(me) && (
    <ActionButton label={t.calls.cause} act={() => triggerEvent('call.received', instance)} />
  )
  return (
    <Load query={query}>
      {(items) =>
        items.length === 0 ? (
          <Empty
            text={t.calls.empty}
            curl={curlCommand(mode, 'GET', `/v1/instances/${instance.id}/calls`)}
          >
            {cause}
          </Empty>
        ) : (
          <>
            {cause && <div className="row">{cause}</div>}
            <Table
              caption={t.calls.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t.messages.contact,
                  cell: ({ from }) =>
                    from.name ?? (from.phone ? formatPhone(from.phone) : from.lid),
                },
                {
                  head: t.calls.kind,
                  cell: ({ video }) => (video ? t.calls.video : t.calls.voice),
                },
                {
                  head: t.common.status,
                  cell: ({ status }) => (
                    <StatusBadge tone={status === 'accepted' ? 'ok' : 'neutral'}>
                      {t.calls[status]}
                    </StatusBadge>
                  ),
                },
                { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
                {
                  head: t.common.actions,
                  quiet: true,
                  cell: (call) =>
                    call.status === 'ringing' && (
                      <ActionButton label={t.calls.reject} act={() => reject(call)} />
                    ),
                },
              ]}
              onOpen={({ id }) => set({ chamada: id })}
              isOpen={({ id }) => id === values.chamada}
              menuOf={({ id, from }) => [
                {
                  entries: [
                    ...entriesOf(from),
                    { label: t.calls.events, act: () => set({ chamada: id }) },
                  ],
                },
              ]}
            />
            <MoreButton query={query} found={items.length} />
            {starting}
            {values.chamada && (
              <EventHistory instance={instance} kind="call" subject={values.chamada} />
            )}
          </>
        )
      }
    </Load>
  )
}
