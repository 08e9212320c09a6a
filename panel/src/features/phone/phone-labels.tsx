import { useQuery, useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { Label, Phone } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePhones } from '../../data/queries.ts'
import { Choice } from '../../ui/controls.tsx'
import { ActionButton, ActionForm, trimmedText } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { LabelFields, labelOf } from '../labels/label-fields.tsx'
import { usePanel } from '../../shell/page.tsx'

/** The labels of a business phone, created, changed, assigned and deleted on the phone rather than by the instance. */
export function PhoneLabels({ phone: { id } }: { phone: Phone }) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'labels', 'of-phone', id],
    queryFn: () => callApi('test', 'GET /v1/simulator/phones/{id}/labels', { params: [id] }),
  })
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'labels'] })
  return (
    <section className="stack-small" aria-label={t.labels.title}>
      <h3>{t.labels.title}</h3>
      <Load query={query}>
        {({ items }) => (
          <>
            {items.map((label) => (
              <OneLabel key={label.id} phoneId={id} label={label} onChange={refresh} />
            ))}
          </>
        )}
      </Load>
      <ActionForm
        label={t.labels.create}
        act={async (form) => {
          const body = labelOf(form)
          await callApi('test', 'POST /v1/simulator/phones/{id}/labels', { params: [id], body })
          await refresh()
        }}
      >
        <LabelFields />
      </ActionForm>
    </section>
  )
}

function OneLabel(props: { phoneId: string; label: Label; onChange: () => Promise<unknown> }) {
  const { phoneId, label, onChange } = props
  const params = [phoneId, label.id]
  const phones = usePhones()
  const chats = (phones.data ?? []).filter(({ id }) => id !== phoneId)
  return (
    <details>
      <summary>
        <svg width="12" height="12" aria-hidden>
          <circle cx="6" cy="6" r="6" fill={label.color} />
        </svg>{' '}
        {label.name}
      </summary>
      <ActionForm
        act={async (form) => {
          const body = labelOf(form)
          await callApi('test', 'PATCH /v1/simulator/phones/{id}/labels/{labelId}', {
            params,
            body,
          })
          await onChange()
        }}
        secondary={
          <ActionButton
            kind="danger"
            label={t.labels.remove}
            act={async () => {
              await callApi('test', 'DELETE /v1/simulator/phones/{id}/labels/{labelId}', { params })
              await onChange()
            }}
          />
        }
      >
        <LabelFields label={label} />
      </ActionForm>
      {chats.length > 0 && (
        <ActionForm
          act={async (form) => {
            const route = '/v1/simulator/phones/{id}/labels/{labelId}/chats/{chat}'
            const way = trimmedText(form, 'on') === 'yes' ? 'PUT' : 'DELETE'
            await callApi('test', `${way} ${route}`, {
              params: [...params, trimmedText(form, 'chat')],
            })
            await onChange()
          }}
        >
          <div className="fields">
            <Choice
              label={t.phone.to}
              name="chat"
              options={chats.map(({ phone, name }) => [phone, `${name} · ${phone}`] as const)}
            />
            <Choice
              label={t.labels.one}
              name="on"
              options={[
                ['yes', t.labels.put],
                ['no', t.labels.take],
              ]}
            />
          </div>
        </ActionForm>
      )}
    </details>
  )
}
