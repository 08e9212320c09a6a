import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, CancelButton, ErrorBlock, Field, textOf } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'
import { InstanceState } from './instances.tsx'
import { Messages } from './messages.tsx'
import { Pairing } from './pairing.tsx'

/** Statuses in which the number has to be paired, or is being. */
const UNPAIRED: Instance['status'][] = ['CREATED', 'CONNECTING', 'QR', 'LOGGED_OUT']

export function InstancePage() {
  const { mode } = usePlace()
  const { id = '' } = useParams({ strict: false })
  const query = useQuery({
    queryKey: [mode, 'instances', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}', { params: [id] }),
  })
  return <Load query={query}>{(instance) => <Shown instance={instance} />}</Load>
}

function Shown({ instance }: { instance: Instance }) {
  const { mode } = usePlace()
  const { id, name, phone, status, disconnect } = instance
  const client = useQueryClient()
  const [error, setError] = useState<unknown>(null)
  const [removing, setRemoving] = useState(false)
  async function act(route: 'connect' | 'disconnect') {
    setError(null)
    try {
      await api(mode, `POST /v1/instances/{id}/${route}`, { params: [id] })
    } catch (failure) {
      setError(failure)
    }
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
  }
  return (
    <Page
      title={name}
      act={
        <div className="linha">
          {status === 'CONNECTED' || status === 'DISCONNECTED' ? (
            <button type="button" className="botao" onClick={() => void act('disconnect')}>
              {t.instances.disconnect}
            </button>
          ) : (
            !UNPAIRED.includes(status) && (
              <button type="button" className="botao" onClick={() => void act('connect')}>
                {t.instances.again}
              </button>
            )
          )}
          <button type="button" className="botao perigo" onClick={() => setRemoving(true)}>
            {t.instances.remove}
          </button>
        </div>
      }
    >
      <div className="linha" aria-live="polite">
        <InstanceState status={status} />
        {phone && <span>{phone}</span>}
        {disconnect && <span className="discreto">{disconnect.message}</span>}
      </div>
      {error !== null && <ErrorBlock error={error} />}
      {UNPAIRED.includes(status) ? (
        <Pairing instance={instance} />
      ) : (
        <Messages instance={instance} />
      )}
      {removing && <Removal instance={instance} onClose={() => setRemoving(false)} />}
    </Page>
  )
}

function Removal({ instance: { id, name }, onClose }: { instance: Instance; onClose: () => void }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  async function remove(form: FormData) {
    if (textOf(form, 'name') !== name) return
    await api(mode, 'DELETE /v1/instances/{id}', { params: [id] })
    await navigate({ to: '/$modo/instancias', params: { modo } })
    await client.invalidateQueries({ queryKey: [mode, 'instances'] })
  }
  return (
    <Dialog title={t.instances.remove} onClose={onClose}>
      <p>{t.instances.removeText(name)}</p>
      <ActForm
        danger
        act={remove}
        label={t.instances.remove}
        beside={<CancelButton onClick={onClose} />}
      >
        <Field
          label={t.common.name}
          name="name"
          value={typed}
          pattern={name.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&')}
          onChange={(event) => setTyped(event.target.value)}
          required
        />
      </ActForm>
    </Dialog>
  )
}
