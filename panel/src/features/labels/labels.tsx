import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi, callPanel, curlCommand } from '../../data/api.ts'
import type { Instance, Label } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useLabels } from '../../data/queries.ts'
import {
  CollectionPage,
  EventHistory,
  type CollectionFilter,
} from '../../shell/instance-collections.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CancelButton, Empty } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionForm } from '../../ui/form.tsx'
import { LabelFields, labelOf } from './label-fields.tsx'
import { Load } from '../../ui/load.tsx'
import { usePanel } from '../../shell/page.tsx'
import { Table } from '../../ui/table.tsx'

/** The labels of an instance, and the forms to create, change and remove them. */
export function Labels() {
  return (
    <CollectionPage title={t.labels.title} text={t.labels.text}>
      {(instance) => <LabelList instance={instance} />}
    </CollectionPage>
  )
}

function LabelList({ instance }: { instance: Instance }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const { values } = useFilters<CollectionFilter>()
  const [asked, setAsked] = useState<'new' | { act: 'change' | 'remove'; label: Label } | null>(
    null,
  )
  const refresh = async () => {
    setAsked(null)
    await client.invalidateQueries({ queryKey: [mode, 'labels'] })
  }
  const { labels, counts } = useCounted(instance.id)
  const chosen = labels.data?.items.find(({ id }) => id === values.etiqueta)
  return (
    <>
      <div className="row">
        <button type="button" className="button primary" onClick={() => setAsked('new')}>
          {t.labels.create}
        </button>
      </div>
      <Load query={labels}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty
              text={t.labels.empty}
              curl={curlCommand(mode, 'POST', `/v1/instances/${instance.id}/labels`, {
                name: t.labels.suggested,
                color: '#3b5bdb',
              })}
            />
          ) : (
            <LabelTable
              instance={instance}
              items={items}
              counts={counts}
              onAct={(act, label) => setAsked({ act, label })}
            />
          )
        }
      </Load>
      <EventHistory
        instance={instance}
        kind="label"
        {...(chosen ? { subject: chosen.id, name: chosen.name } : {})}
      />
      {asked === 'new' && (
        <Dialog title={t.labels.create} onClose={() => setAsked(null)}>
          <ActionForm
            label={t.common.create}
            secondary={<CancelButton onClick={() => setAsked(null)} />}
            act={async (form) => {
              const body = labelOf(form)
              await callApi(mode, 'POST /v1/instances/{id}/labels', { params: [instance.id], body })
              await refresh()
            }}
          >
            <LabelFields />
          </ActionForm>
        </Dialog>
      )}
      {asked !== null && asked !== 'new' && asked.act === 'change' && (
        <Dialog title={`${t.labels.change}: ${asked.label.name}`} onClose={() => setAsked(null)}>
          <ActionForm
            secondary={<CancelButton onClick={() => setAsked(null)} />}
            act={async (form) => {
              const params = [instance.id, asked.label.id]
              const body = labelOf(form)
              await callApi(mode, 'PATCH /v1/instances/{id}/labels/{labelId}', { params, body })
              await refresh()
            }}
          >
            <LabelFields label={asked.label} />
          </ActionForm>
        </Dialog>
      )}
      {asked !== null && asked !== 'new' && asked.act === 'remove' && (
        <Confirm
          danger
          title={t.labels.remove}
          object={asked.label.name}
          text={t.labels.removeText(asked.label.name)}
          onClose={() => setAsked(null)}
          act={async () => {
            await callApi(mode, 'DELETE /v1/instances/{id}/labels/{labelId}', {
              params: [instance.id, asked.label.id],
            })
            await refresh()
          }}
        />
      )}
    </>
  )
}

/** The labels of an instance, and the number of conversations that have each. */
function useCounted(instanceId: string) {
  const { mode } = usePanel()
  const { data } = useQuery({
    queryKey: [mode, 'labels', instanceId, 'counts'],
    queryFn: () =>
      callPanel('GET /panel/api/{mode}/instances/{id}/label-counts', {
        params: [mode, instanceId],
      }),
  })
  const counts = data && new Map(data.items.map((one) => [one.labelId, one.conversations]))
  return { labels: useLabels(instanceId), counts }
}

function LabelTable(props: {
  instance: Instance
  items: Label[]
  counts: Map<string, number> | undefined
  onAct: (act: 'change' | 'remove', label: Label) => void
}) {
  const { instance, items, counts, onAct } = props
  const { modo } = usePanel()
  const { values, set } = useFilters<CollectionFilter>()
  return (
    <Table
      caption={t.labels.title}
      rows={items}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t.common.name,
          cell: ({ name, color }) => (
            <span className="row">
              <svg width="12" height="12" aria-hidden>
                <circle cx="6" cy="6" r="6" fill={color} />
              </svg>
              {name}
            </span>
          ),
        },
        {
          head: t.conversations.title,
          cell: ({ id }) => (
            <Link
              to="/$modo/conversas"
              params={{ modo }}
              search={{ instancia: instance.id, etiqueta: id }}
            >
              {t.labels.on(counts ? (counts.get(id) ?? 0) : null)}
            </Link>
          ),
        },
      ]}
      onOpen={(label) => onAct('change', label)}
      isOpen={({ id }) => id === values.etiqueta}
      menuOf={(label) => [
        {
          entries: [
            { label: t.labels.edit, act: () => onAct('change', label) },
            {
              label: t.past.one,
              checked: label.id === values.etiqueta,
              act: () => set({ etiqueta: label.id === values.etiqueta ? undefined : label.id }),
            },
          ],
        },
        {
          entries: [{ label: t.labels.delete, danger: true, act: () => onAct('remove', label) }],
        },
      ]}
    />
  )
}
