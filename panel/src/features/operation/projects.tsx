import { callPanel } from '../../data/api.ts'
import type { OperatedProject } from '../../data/api-types.ts'
import { formatted, t } from '../../phrases/phrases.ts'
import { Choice, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { Load } from '../../ui/load.tsx'
import { MoreButton } from '../../ui/more-button.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { usePages } from '../../ui/use-pages.ts'
import { ProjectDrawer } from './project-drawer.tsx'
import { ProjectStatus } from './project-status.tsx'

const STATUSES = ['ACTIVE', 'SUSPENDED'] as const

/** The companies of the server, newest first. */
export function Projects() {
  const { values, set } = useFilters<'q' | 'situacao' | 'projeto'>()
  const status = STATUSES.find((one) => one === values.situacao)
  const asked = { ...(values.q ? { q: values.q } : {}), ...(status ? { status } : {}) }
  const query = usePages(['operation', 'projects', asked], (page) =>
    callPanel('GET /panel/api/operation/projects', { query: { ...asked, ...page } }),
  )
  return (
    <>
      <div className="filters">
        <SearchField
          label={t.operation.find}
          value={values.q}
          onSearch={(q) => set({ q }, { replace: true })}
        />
        <Choice
          label={t.operation.status}
          value={status ?? ''}
          onChange={(event) => set({ situacao: event.target.value })}
          options={[
            ['', t.common.allFeminine],
            ...STATUSES.map((one) => [one, t.operation[one]] as const),
          ]}
        />
      </div>
      <Load query={query}>
        {(items) =>
          items.length === 0 ? (
            <Empty text={t.operation.none} />
          ) : (
            <>
              <List items={items} />
              <MoreButton query={query} found={items.length} />
            </>
          )
        }
      </Load>
      {values.projeto !== undefined && (
        <ProjectDrawer
          key={values.projeto}
          id={values.projeto}
          onClose={() => set({ projeto: undefined })}
        />
      )}
    </>
  )
}

function List({ items }: { items: OperatedProject[] }) {
  const { values, set } = useFilters<'projeto'>()
  const open = ({ id }: OperatedProject) => set({ projeto: id }, { replace: true })
  return (
    <Table
      caption={t.operation.projects}
      rows={items}
      keyOf={({ id }) => id}
      onOpen={open}
      isOpen={({ id }) => id === values.projeto}
      columns={[
        {
          head: t.operation.company,
          sortBy: ({ company }) => company,
          cell: (project) => (
            <button type="button" className="row-button truncate" onClick={() => open(project)}>
              {project.company}
            </button>
          ),
        },
        { head: t.operation.owner, cell: ({ owner }) => owner ?? t.common.none },
        {
          head: t.operation.status,
          width: 112,
          cell: ({ status }) => <ProjectStatus status={status} />,
        },
        {
          head: t.operation.subscription,
          width: 150,
          cell: ({ exempt, subscription }) => (exempt ? t.operation.exempt : t.plan[subscription]),
        },
        {
          head: t.operation.credits,
          width: 110,
          sortBy: ({ credits }) => credits,
          number: true,
          cell: ({ credits }) => formatted(credits),
        },
        {
          head: t.operation.instances,
          width: 100,
          sortBy: ({ instances }) => instances,
          cell: ({ connected, instances }) => t.operation.connectedOf(connected, instances),
        },
        {
          head: t.operation.sent,
          width: 150,
          sortBy: ({ sent }) => sent,
          number: true,
          cell: ({ sent }) => formatted(sent),
        },
        {
          head: t.operation.since,
          width: 128,
          sortBy: ({ createdAt }) => createdAt,
          cell: ({ createdAt }) => <Time at={createdAt} />,
        },
      ]}
    />
  )
}
