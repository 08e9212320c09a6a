import { useQuery } from '@tanstack/react-query'
import { callPanel } from '../../data/api.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { Load } from '../../ui/load.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

const POLL_INTERVAL_MS = 5000

function Figure(props: { name: string; count: number; oldestAt?: string | null }) {
  const { name, count, oldestAt } = props
  return (
    <div className="card">
      <span className="quiet">{name}</span>
      <span className="big-number">{formatted(count)}</span>
      {oldestAt !== undefined && (
        <span className="quiet">
          {oldestAt === null ? (
            t.operation.noneWaiting
          ) : (
            <>
              {t.operation.oldest} <Time at={oldestAt} />
            </>
          )}
        </span>
      )}
    </div>
  )
}

/** What waits on the server, and whose it is. */
export function Queues() {
  const query = useQuery({
    queryKey: ['operation', 'queues'],
    queryFn: () => callPanel('GET /panel/api/operation/queues'),
    refetchInterval: POLL_INTERVAL_MS,
  })
  return (
    <Load query={query}>
      {(queues) => (
        <>
          <div className="cards">
            <Figure
              name={t.operation.waitingMessages}
              count={queues.messages}
              oldestAt={queues.oldestMessageAt}
            />
            <Figure
              name={t.operation.dueDeliveries}
              count={queues.dueDeliveries}
              oldestAt={queues.oldestDeliveryAt}
            />
            <Figure name={t.operation.waitingDeliveries} count={queues.waitingDeliveries} />
            <Figure name={t.operation.runningCampaigns} count={queues.runningCampaigns} />
            <Figure name={t.operation.scheduledMessages} count={queues.scheduledMessages} />
          </div>
          <section className="stack-small" aria-labelledby="por-empresa">
            <h2 id="por-empresa">{t.operation.byProject}</h2>
            {queues.projects.length === 0 ? (
              <p className="quiet">{t.operation.idle}</p>
            ) : (
              <Table
                caption={t.operation.byProject}
                rows={queues.projects}
                keyOf={({ projectId }) => projectId}
                columns={[
                  { head: t.operation.company, cell: ({ company }) => company },
                  {
                    head: t.operation.messages,
                    width: 130,
                    number: true,
                    cell: ({ messages }) => formatted(messages),
                  },
                  {
                    head: t.operation.deliveries,
                    width: 130,
                    number: true,
                    cell: ({ deliveries }) => formatted(deliveries),
                  },
                ]}
              />
            )}
          </section>
        </>
      )}
    </Load>
  )
}
