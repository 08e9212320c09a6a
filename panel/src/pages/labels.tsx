import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Instance, Label } from '../api-types.ts'
import type { Envelope } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import { useLabels } from '../queries.ts'
import { Empty, Field } from '../ui/controls.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { ActForm, textOf } from '../ui/form.tsx'
import { Load } from '../ui/load.tsx'
import { usePlace } from '../ui/page.tsx'
import { Table } from '../ui/table.tsx'
import { useHeard } from '../ui/use-heard.ts'
import { Circle, Heard } from '../ui/circle.tsx'

export function Labels() {
  return (
    <Circle title={t.labels.title} text={t.labels.text}>
      {(instance) => <LabelList instance={instance} />}
    </Circle>
  )
}

function LabelList({ instance }: { instance: Instance }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const [removing, setRemoving] = useState<Label | null>(null)
  const query = useLabels(instance.id)
  const heard = useHeard(
    ({ event, instanceId }: Envelope) => event.startsWith('label.') && instanceId === instance.id,
  )
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'labels'] })
  return (
    <>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.labels.empty} />
          ) : (
            <Table
              caption={t.labels.title}
              rows={items}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t.common.name,
                  cell: ({ name, color }) => (
                    <span className="linha">
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
                      {t.common.open}
                    </Link>
                  ),
                },
                {
                  head: t.common.actions,
                  quiet: true,
                  cell: (label) => (
                    <button
                      type="button"
                      className="botao perigo"
                      onClick={() => setRemoving(label)}
                    >
                      {t.team.remove}
                    </button>
                  ),
                },
              ]}
            />
          )
        }
      </Load>
      <section className="cartao" aria-labelledby="nova">
        <h2 id="nova">{t.labels.create}</h2>
        <ActForm
          label={t.common.create}
          act={async (form) => {
            const body = { name: textOf(form, 'name'), color: textOf(form, 'color') }
            await api(mode, 'POST /v1/instances/{id}/labels', { params: [instance.id], body })
            await refresh()
          }}
        >
          <div className="campos">
            <Field label={t.common.name} name="name" required />
            <Field label={t.labels.color} name="color" type="color" defaultValue="#3b5bdb" />
          </div>
        </ActForm>
      </section>
      <section className="cartao" aria-labelledby="etiquetas-ouvidas">
        <h2 id="etiquetas-ouvidas">{t.groups.heard}</h2>
        <Heard heard={heard} />
      </section>
      {removing && (
        <Confirm
          danger
          title={t.labels.remove}
          text={t.labels.removeText(removing.name)}
          onClose={() => setRemoving(null)}
          act={async () => {
            await api(mode, 'DELETE /v1/instances/{id}/labels/{labelId}', {
              params: [instance.id, removing.id],
            })
            setRemoving(null)
            await refresh()
          }}
        />
      )}
    </>
  )
}
