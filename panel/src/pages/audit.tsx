import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ask } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { Empty } from '../ui/controls.tsx'
import { useFilters } from '../ui/filters.ts'
import { SearchField } from '../ui/search-field.tsx'
import { Load } from '../ui/load.tsx'
import { Page } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'

const PAGE = 50

/** What was done in the account and to it, newest first. */
export function Audit() {
  const { values, set } = useFilters<'de' | 'q'>()
  const offset = Number(values.de ?? 0)
  const query = useQuery({
    queryKey: ['audit', offset, values.q],
    placeholderData: keepPreviousData,
    queryFn: () =>
      ask('GET /panel/api/audit', {
        query: { limit: PAGE, offset, ...(values.q ? { q: values.q } : {}) },
      }),
  })
  const go = (to: number) => set({ de: to > 0 ? String(to) : undefined }, { replace: false })
  return (
    <Page title={t.audit.title} text={t.audit.text}>
      <SearchField
        label={t.audit.find}
        value={values.q}
        onSearch={(q) => set({ q, de: undefined })}
      />
      <Load query={query}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <Empty text={values.q ? t.audit.noneFound : t.audit.empty} />
          ) : (
            <>
              <Table
                caption={t.audit.title}
                rows={items}
                keyOf={({ id }) => id}
                columns={[
                  { head: t.messages.when, cell: ({ at }) => <Time at={at} /> },
                  { head: t.audit.who, cell: ({ actorEmail, actor }) => actorEmail ?? actor },
                  {
                    head: t.audit.what,
                    cell: ({ action, object }) => (
                      <>
                        <code>{action}</code>
                        <div className="discreto">{object}</div>
                      </>
                    ),
                  },
                  {
                    head: t.audit.change,
                    cell: ({ before, after }) => <Change before={before} after={after} />,
                  },
                ]}
              />
              <div className="linha">
                {offset > 0 && (
                  <button type="button" className="botao" onClick={() => go(offset - PAGE)}>
                    {t.audit.newer}
                  </button>
                )}
                {hasMore && (
                  <button type="button" className="botao" onClick={() => go(offset + PAGE)}>
                    {t.audit.older}
                  </button>
                )}
              </div>
            </>
          )
        }
      </Load>
    </Page>
  )
}

type Values = Record<string, unknown> | null

/** What was, and what is since. */
function Change({ before, after }: { before: Values; after: Values }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return <>{t.common.none}</>
  return (
    <ul className="lista">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>: {before && <del>{JSON.stringify(before[name])}</del>}{' '}
          {after && <ins>{JSON.stringify(after[name])}</ins>}
        </li>
      ))}
    </ul>
  )
}
