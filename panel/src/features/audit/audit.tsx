import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { callPanel, buildPath } from '../../data/api.ts'
import type { AuditEntry } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { readMe } from '../../data/session.ts'
import { Choice, Empty } from '../../ui/controls.tsx'
import { useFilters } from '../../ui/filters.ts'
import { folded } from '../../ui/folded.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Drawer, Facts } from '../../ui/drawer.tsx'
import { SavedViews } from '../../shell/saved-views.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Load } from '../../ui/load.tsx'
import { Page } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'
import { absolute, LogTime } from '../../ui/time.tsx'

const FILTERS = ['q', 'modo'] as const
const PAGE = 50
const MODES = ['test', 'production'] as const

/** The audit log of the account, newest first, with its CSV export. */
export function Audit() {
  const { values, set } = useFilters<'de' | 'q' | 'modo' | 'registro'>()
  const offset = Number(values.de ?? 0)
  const mode = MODES.find((one) => one === values.modo)
  const actions = values.q ? actionsNamed(values.q) : ''
  const filter = {
    ...(values.q ? { q: values.q } : {}),
    ...(actions ? { actions } : {}),
    ...(mode ? { mode } : {}),
  }
  const query = useQuery({
    queryKey: ['audit', offset, filter],
    placeholderData: keepPreviousData,
    queryFn: () => callPanel('GET /panel/api/audit', { query: { limit: PAGE, offset, ...filter } }),
  })
  const show = ({ id }: AuditEntry) => set({ registro: String(id) }, { replace: true })
  const go = (to: number) => set({ de: to > 0 ? String(to) : undefined }, { replace: false })
  return (
    <Page
      title={t.audit.title}
      text={t.audit.text}
      act={
        <ActionButton
          label={t.audit.file}
          act={async () => {
            // A download cannot renew the session, so renew it first.
            await readMe()
            location.assign(buildPath('/panel/api/audit.csv', [], filter))
          }}
        />
      }
    >
      <div className="filters">
        <SearchField
          label={t.audit.find}
          value={values.q}
          onSearch={(q) => set({ q, de: undefined }, { replace: true })}
        />
        <Choice
          label={t.nav.mode}
          value={mode ?? ''}
          onChange={(event) => set({ modo: event.target.value, de: undefined })}
          options={[
            ['', t.common.all],
            ['test', t.nav.test],
            ['production', t.nav.production],
          ]}
        />
        <SavedViews page="auditoria" names={FILTERS} />
      </div>
      <Load query={query}>
        {({ items, hasMore }) =>
          items.length === 0 ? (
            <Empty text={Object.keys(filter).length > 0 ? t.audit.noneFound : t.audit.empty} />
          ) : (
            <>
              <Table
                caption={t.audit.title}
                rows={items}
                keyOf={({ id }) => id}
                onOpen={show}
                isOpen={({ id }) => String(id) === values.registro}
                columns={[
                  { head: t.messages.when, width: 140, cell: ({ at }) => <LogTime at={at} /> },
                  { head: t.audit.who, width: 240, cell: actorOf },
                  {
                    head: t.audit.what,
                    cell: (entry) => (
                      <button
                        type="button"
                        className="row-button truncate"
                        onClick={() => show(entry)}
                      >
                        {actionOf(entry)}
                        {entry.objectName && <strong> {entry.objectName}</strong>}
                      </button>
                    ),
                  },
                  { head: t.nav.mode, width: 110, cell: modeOf },
                ]}
              />
              <Detail
                entry={items.find(({ id }) => String(id) === values.registro)}
                onClose={() => set({ registro: undefined }, { replace: true })}
              />
              <div className="row">
                {offset > 0 && (
                  <button type="button" className="button" onClick={() => go(offset - PAGE)}>
                    {t.audit.newer}
                  </button>
                )}
                {hasMore && (
                  <button type="button" className="button" onClick={() => go(offset + PAGE)}>
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

/** The actions whose words contain a text, separated by commas. */
const actionsNamed = (text: string): string =>
  Object.entries(t.auditActions)
    .flatMap(([action, words]) => (folded(words).includes(folded(text)) ? [action] : []))
    .join(',')

/** The action, translated where a phrase exists. */
function actionOf({ action }: AuditEntry) {
  const words: Partial<Record<string, string>> = t.auditActions
  return words[action] ?? <code>{action}</code>
}

const actorOf = ({ actorName, actor }: AuditEntry) =>
  actor === 'operator' ? t.audit.operator : (actorName ?? <code>{actor}</code>)

/** What an action was about; actions on the account have no mode. */
const modeOf = ({ mode }: AuditEntry) =>
  mode === null ? t.common.none : mode === 'test' ? t.nav.test : t.nav.production

/** One entry with all that is known about it, and what it changed. */
function Detail({ entry, onClose }: { entry: AuditEntry | undefined; onClose: () => void }) {
  if (!entry) return null
  const { at, object, objectName, address, before, after } = entry
  return (
    <Drawer title={actionOf(entry)} onClose={onClose}>
      <Facts
        facts={[
          [t.messages.when, absolute(at)],
          [t.audit.who, actorOf(entry)],
          [t.audit.object, objectName],
          [t.audit.id, <code key="id">{object}</code>],
          [t.nav.mode, modeOf(entry)],
          [t.audit.place, address],
        ]}
      />
      <h3>{t.audit.change}</h3>
      <Change before={before} after={after} />
    </Drawer>
  )
}

type Values = Record<string, unknown> | null

/** The old and the new value of each changed field. */
function Change({ before, after }: { before: Values; after: Values }) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  if (names.length === 0) return <>{t.common.none}</>
  return (
    <ul className="list">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>: {before && <del>{JSON.stringify(before[name])}</del>}{' '}
          {after && <ins>{JSON.stringify(after[name])}</ins>}
        </li>
      ))}
    </ul>
  )
}
