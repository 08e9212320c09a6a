import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callPanel } from '../../data/api.ts'
import type { Node } from '../../data/api-types.ts'
import { language, t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { StatusBadge } from '../../ui/controls.tsx'
import { Load } from '../../ui/load.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const POLL_INTERVAL_MS = 5000
/** The heartbeat of a live node is never older. */
const LATE_SECONDS = 6

const mebibytes = (count: number) =>
  count.toLocaleString(language, { style: 'unit', unit: 'megabyte', maximumFractionDigits: 0 })

/** The servers that share the database, with the instances that each holds. */
export function Nodes() {
  const client = useQueryClient()
  const [asked, setAsked] = useState<Node | null>(null)
  const query = useQuery({
    queryKey: ['operation', 'nodes'],
    queryFn: () => callPanel('GET /panel/api/operation/nodes'),
    refetchInterval: POLL_INTERVAL_MS,
  })
  return (
    <>
      <Load query={query}>
        {({ items }) => (
          <Table
            caption={t.operation.nodes}
            rows={items}
            keyOf={({ id }) => id}
            columns={[
              { head: t.operation.node, cell: ({ id }) => id },
              {
                head: t.operation.state,
                width: 170,
                cell: ({ draining, secondsSinceHeartbeat: age }) => (
                  <StatusBadge tone={age > LATE_SECONDS ? 'bad' : draining ? 'warn' : 'ok'}>
                    {age > LATE_SECONDS
                      ? t.operation.silent
                      : draining
                        ? t.operation.draining
                        : t.operation.working}
                  </StatusBadge>
                ),
              },
              {
                head: t.operation.instances,
                width: 110,
                sortBy: ({ instances }) => instances,
                cell: ({ connected, instances }) => t.operation.connectedOf(connected, instances),
              },
              {
                head: t.operation.memory,
                width: 110,
                cell: ({ capacity }) => mebibytes(capacity),
              },
              {
                head: t.operation.heartbeat,
                width: 130,
                cell: ({ secondsSinceHeartbeat }) =>
                  t.operation.seconds(Math.round(secondsSinceHeartbeat)),
              },
              {
                head: t.operation.started,
                width: 130,
                cell: ({ startedAt }) => <Time at={startedAt} />,
              },
              {
                head: t.operation.drain,
                quiet: true,
                width: 140,
                cell: (node) => (
                  <button type="button" className="button" onClick={() => setAsked(node)}>
                    {node.draining ? t.operation.undrain : t.operation.drain}
                    <span className="visually-hidden"> {node.id}</span>
                  </button>
                ),
              },
            ]}
          />
        )}
      </Load>
      {asked && (
        <Confirm
          title={asked.draining ? t.operation.undrain : t.operation.drain}
          object={asked.id}
          text={(asked.draining ? t.operation.undrainText : t.operation.drainText)(asked.id)}
          onClose={() => setAsked(null)}
          act={async () => {
            await callPanel('PATCH /panel/api/operation/nodes/{id}', {
              params: [asked.id],
              body: { draining: !asked.draining },
            })
            setAsked(null)
            await client.invalidateQueries({ queryKey: ['operation', 'nodes'] })
          }}
        />
      )}
    </>
  )
}
