import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, call } from '../api.ts'
import type { Campaign, RecipientImport } from '../api-types.ts'
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
  typed,
} from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { Page, usePlace } from '../ui/page.tsx'

const TONES: Partial<Record<Campaign['status'], Tone>> = {
  RUNNING: 'ok',
  COMPLETED: 'ok',
  PAUSED: 'alerta',
  CANCELED: 'falha',
}

export function CampaignState({ status }: { status: Campaign['status'] }) {
  return <Bead tone={TONES[status] ?? 'neutro'}>{t.campaigns[status]}</Bead>
}

export function Campaigns() {
  const { mode, modo } = usePlace()
  const [creating, setCreating] = useState(false)
  const query = useQuery({
    queryKey: [mode, 'campaigns'],
    queryFn: () => api(mode, 'GET /v1/campaigns'),
    refetchInterval: 5000,
  })
  return (
    <Page
      title={t.campaigns.title}
      text={t.campaigns.text}
      act={
        <button type="button" className="botao principal" onClick={() => setCreating(true)}>
          {t.campaigns.create}
        </button>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.campaigns.empty} />
          ) : (
            <div className="tabela">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.common.name}</th>
                    <th scope="col">{t.common.status}</th>
                    <th scope="col">{t.campaigns.progress}</th>
                    <th scope="col">{t.common.createdAt}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map(({ id, name, status, counts, createdAt }) => (
                    <tr key={id}>
                      <td>
                        <Link to="/$modo/campanhas/$id" params={{ modo, id }}>
                          {name}
                        </Link>
                      </td>
                      <td>
                        <CampaignState status={status} />
                      </td>
                      <td>{t.campaigns.of(counts.total - counts.pending, counts.total)}</td>
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
      {creating && <Creation onClose={() => setCreating(false)} />}
    </Page>
  )
}

function Creation({ onClose }: { onClose: () => void }) {
  const { mode, modo } = usePlace()
  const client = useQueryClient()
  const navigate = useNavigate()
  const instances = useQuery({
    queryKey: [mode, 'instances'],
    queryFn: () => api(mode, 'GET /v1/instances'),
  })
  async function create(form: FormData) {
    const made = await api(mode, 'POST /v1/campaigns', {
      body: {
        name: textOf(form, 'name'),
        instanceIds: [textOf(form, 'instance')],
        message: { type: 'text', text: typed(form, 'text') },
        pacing: {
          minDelayMs: Number(textOf(form, 'min')) * 1000,
          maxDelayMs: Number(textOf(form, 'max')) * 1000,
          window: { from: '09:00', to: '20:00' },
        },
      },
    })
    await client.invalidateQueries({ queryKey: [mode, 'campaigns'] })
    await navigate({ to: '/$modo/campanhas/$id', params: { modo, id: made.id } })
  }
  return (
    <Dialog title={t.campaigns.create} onClose={onClose}>
      <Load query={instances}>
        {({ items }) => (
          <ActForm act={create} label={t.common.create} beside={<CancelButton onClick={onClose} />}>
            <Field label={t.common.name} name="name" required />
            <div className="campo">
              <label htmlFor="instancia">{t.campaigns.instance}</label>
              <select id="instancia" name="instance" required>
                {items.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            <Field
              label={t.messages.text}
              name="text"
              hint={t.campaigns.variables}
              defaultValue={t.campaigns.suggested}
              required
            />
            <div className="cartoes">
              <Field
                label={t.campaigns.min}
                name="min"
                type="number"
                min={0}
                defaultValue={8}
                required
              />
              <Field
                label={t.campaigns.max}
                name="max"
                type="number"
                min={0}
                defaultValue={25}
                required
              />
            </div>
            <p className="discreto">{t.campaigns.window}</p>
          </ActForm>
        )}
      </Load>
    </Dialog>
  )
}

/** Sends a CSV file of recipients. */
export async function sendFile(
  mode: 'test' | 'production',
  id: string,
  file: Blob,
): Promise<RecipientImport> {
  return call<RecipientImport>('POST', `/panel/api/${mode}/v1/campaigns/${id}/recipients`, file)
}
