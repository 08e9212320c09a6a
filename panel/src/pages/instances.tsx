import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import {
  ActForm,
  Bead,
  CancelButton,
  Empty,
  Field,
  textOf,
  Time,
  type Tone,
} from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

const TONES: Partial<Record<Instance['status'], Tone>> = {
  CONNECTED: 'ok',
  LOGGED_OUT: 'falha',
  BANNED: 'falha',
  PASSKEY_REQUIRED: 'falha',
  DISCONNECTED: 'alerta',
}

export function InstanceState({ status }: { status: Instance['status'] }) {
  return <Bead tone={TONES[status] ?? 'neutro'}>{t.states[status]}</Bead>
}

export function Instances() {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [creating, setCreating] = useState(false)
  const query = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api(mode, 'GET /v1/instances'),
  })
  async function create(form: FormData) {
    const made = await api(mode, 'POST /v1/instances', { body: { name: textOf(form, 'name') } })
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
    await navigate({ to: '/$modo/instancias/$id', params: { modo, id: made.id } })
  }
  const button = (
    <button type="button" className="botao principal" onClick={() => setCreating(true)}>
      {t.instances.create}
    </button>
  )
  return (
    <Page title={t.instances.title} text={t.instances.text} act={button}>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={mode === 'test' ? t.instances.empty : t.instances.emptyLive} />
          ) : (
            <div className="tabela">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.common.name}</th>
                    <th scope="col">{t.instances.number}</th>
                    <th scope="col">{t.common.status}</th>
                    <th scope="col">{t.common.createdAt}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ id, name, phone, status, createdAt }) => (
                    <tr key={id}>
                      <td>
                        <Link to="/$modo/instancias/$id" params={{ modo, id }}>
                          {name}
                        </Link>
                      </td>
                      <td>{phone ?? t.common.none}</td>
                      <td>
                        <InstanceState status={status} />
                      </td>
                      <td>
                        <Time at={createdAt} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Load>
      {creating && (
        <Dialog title={t.instances.create} onClose={() => setCreating(false)}>
          <ActForm
            act={create}
            label={t.common.create}
            beside={<CancelButton onClick={() => setCreating(false)} />}
          >
            <Field
              label={t.common.name}
              name="name"
              defaultValue={t.instances.suggested}
              required
            />
          </ActForm>
        </Dialog>
      )}
    </Page>
  )
}
