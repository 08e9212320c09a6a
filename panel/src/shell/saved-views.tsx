import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark } from 'lucide-react'
import { useState } from 'react'
import { callPanel } from '../data/api.ts'
import { t } from '../phrases/phrases.ts'
import { CancelButton, Field } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActionForm, trimmedText, useAction } from '../ui/form.tsx'
import { ActionMenu } from '../ui/menu.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'

const MAX_NAME = 60

/** The filters that are set, in a fixed order, so that equal views have equal texts. */
const toSearch = (names: readonly string[], values: Partial<Record<string, string>>): string =>
  new URLSearchParams(
    names.flatMap((name): [string, string][] => {
      const value = values[name]
      return value ? [[name, value]] : []
    }),
  ).toString()

/**
 * A menu of the user's saved views of a page: named sets of filters, synced to every device. `page` identifies the
 * page, and `names` are the search parameters that are filters; `compact` leaves only the icon.
 */
export function SavedViews(props: { page: string; names: readonly string[]; compact?: boolean }) {
  const { page, names, compact = false } = props
  const client = useQueryClient()
  const { values, set } = useFilters<string>()
  const [naming, setNaming] = useState(false)
  const { data } = useQuery({
    queryKey: ['views'],
    queryFn: () => callPanel('GET /panel/api/me/views'),
  })
  const refresh = () => client.invalidateQueries({ queryKey: ['views'] })
  const current = toSearch(names, values)
  const views = (data?.items ?? []).filter((view) => view.page === page)
  const shown = views.find(({ search }) => search === current)
  const { error, run: remove } = useAction(async (name: string) => {
    await callPanel('DELETE /panel/api/me/views', { query: { page, name } })
    await refresh()
  })
  function apply(search: string): void {
    const chosen = new URLSearchParams(search)
    const filters = names.map((name) => [name, chosen.get(name) ?? undefined])
    // From the first page: a view may have fewer.
    set({ de: undefined, ...Object.fromEntries(filters) }, { replace: false })
  }
  return (
    <>
      <ActionMenu
        trigger={
          compact ? (
            <button
              type="button"
              className="button icon"
              aria-label={shown ? `${t.views.title}: ${shown.name}` : t.views.title}
              aria-pressed={shown !== undefined}
              title={shown?.name ?? t.views.title}
            >
              <Bookmark size={16} aria-hidden />
            </button>
          ) : (
            <button type="button" className="button">
              <Bookmark size={16} aria-hidden />{' '}
              {shown && <span className="visually-hidden">{t.views.title}: </span>}
              {shown?.name ?? t.views.title}
            </button>
          )
        }
        groups={[
          {
            entries: views.map(({ name, search }) => ({
              label: name,
              checked: search === current,
              act: () => apply(search),
            })),
          },
          {
            entries: [
              {
                label: t.views.save,
                disabled: current === '' || shown !== undefined,
                act: () => setNaming(true),
              },
              ...(shown
                ? [
                    {
                      label: t.views.remove(shown.name),
                      danger: true,
                      act: () => remove(shown.name),
                    },
                  ]
                : []),
            ],
          },
        ].filter(({ entries }) => entries.length > 0)}
      />
      {error !== null && <ErrorBlock error={error} />}
      {naming && (
        <Dialog title={t.views.save} onClose={() => setNaming(false)}>
          <ActionForm
            secondary={<CancelButton onClick={() => setNaming(false)} />}
            act={async (form) => {
              const body = { page, name: trimmedText(form, 'name'), search: current }
              await callPanel('PUT /panel/api/me/views', { body })
              setNaming(false)
              await refresh()
            }}
          >
            <Field label={t.common.name} name="name" maxLength={MAX_NAME} required />
          </ActionForm>
        </Dialog>
      )}
    </>
  )
}
