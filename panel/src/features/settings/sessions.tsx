import { useQuery } from '@tanstack/react-query'
import { callPanel } from '../../data/api.ts'
import type { OpenedSession } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { StatusBadge } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { Table } from '../../ui/table.tsx'
import { Time, zoneName } from '../../ui/time.tsx'

function State({ current, superseded, endedAt }: OpenedSession) {
  if (current) return <StatusBadge tone="ok">{t.sessions.current}</StatusBadge>
  if (!endedAt) return <StatusBadge tone="neutral">{t.sessions.open}</StatusBadge>
  return (
    <>
      <StatusBadge tone="neutral">
        {superseded ? t.sessions.superseded : t.sessions.ended}
      </StatusBadge>{' '}
      <span className="quiet">
        <Time at={endedAt} />
      </span>
    </>
  )
}

/** The user's recent sessions. */
export function Sessions() {
  const query = useQuery({
    queryKey: ['sessions'],
    queryFn: () => callPanel('GET /panel/api/sessions'),
  })
  return (
    <section className="card" aria-labelledby="sessoes">
      <h2 id="sessoes">{t.sessions.title}</h2>
      <p className="quiet">{t.sessions.text}</p>
      <Load query={query}>
        {({ items }) => (
          <Table
            caption={t.sessions.title}
            rows={items}
            keyOf={({ at }) => at}
            columns={[
              { head: t.auth.when, cell: ({ at }) => <Time at={at} /> },
              { head: t.auth.browser, cell: ({ browser }) => browser ?? t.common.none },
              {
                head: t.auth.place,
                cell: ({ timeZone }) => (timeZone ? zoneName(timeZone) : t.common.none),
              },
              { head: t.common.status, cell: (session) => <State {...session} /> },
            ]}
          />
        )}
      </Load>
    </section>
  )
}
