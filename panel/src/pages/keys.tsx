import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api.ts'
import type { Key } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ActForm, Bead, CancelButton, Empty, Field, textOf, Time } from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { Page, usePlace } from '../ui/page.tsx'

export function Keys() {
  const { mode } = usePlace()
  const client = useQueryClient()
  const [creating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const [revoking, setRevoking] = useState<Key | null>(null)
  const query = useQuery({ queryKey: [mode, 'keys'], queryFn: () => api(mode, 'GET /v1/keys') })
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'keys'] })
  async function create(form: FormData) {
    const days = Number(textOf(form, 'days'))
    const body = { name: textOf(form, 'name'), ...(days > 0 ? { expiresInDays: days } : {}) }
    const { key } = await api(mode, 'POST /v1/keys', { body })
    setCreating(false)
    setSecret(key)
    await refresh()
  }
  async function revoke() {
    if (!revoking) return
    await api(mode, 'DELETE /v1/keys/{id}', { params: [revoking.id] })
    setRevoking(null)
    await refresh()
  }
  return (
    <Page
      title={t.keys.title}
      text={t.keys.text}
      act={
        <button type="button" className="botao principal" onClick={() => setCreating(true)}>
          {t.keys.create}
        </button>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.keys.empty} />
          ) : (
            <div className="tabela">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.common.name}</th>
                    <th scope="col">{t.keys.prefix}</th>
                    <th scope="col">{t.common.status}</th>
                    <th scope="col">{t.keys.lastUsed}</th>
                    <th scope="col">{t.keys.expires}</th>
                    <th scope="col">
                      <span className="visually-hidden">{t.keys.revoke}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((key) => (
                    <tr key={key.id}>
                      <td>{key.name}</td>
                      <td>
                        <code>{key.keyPrefix}…</code>
                      </td>
                      <td>
                        <Bead tone={key.status === 'active' ? 'ok' : 'falha'}>
                          {t.keys[key.status]}
                        </Bead>
                      </td>
                      <td>
                        <Time at={key.lastUsedAt} />
                      </td>
                      <td>{key.expiresAt ? <Time at={key.expiresAt} /> : t.common.none}</td>
                      <td>
                        {key.status === 'active' && (
                          <button
                            type="button"
                            className="botao perigo"
                            onClick={() => setRevoking(key)}
                          >
                            {t.keys.revoke}
                          </button>
                        )}
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
        <Dialog title={t.keys.create} onClose={() => setCreating(false)}>
          <ActForm
            act={create}
            label={t.common.create}
            beside={<CancelButton onClick={() => setCreating(false)} />}
          >
            <Field label={t.common.name} name="name" defaultValue={t.keys.suggested} required />
            <Field label={t.keys.days} name="days" type="number" min={1} />
          </ActForm>
        </Dialog>
      )}
      {secret && (
        <SecretOnce
          title={t.keys.onceTitle}
          text={t.keys.onceText}
          secret={secret}
          kept={t.keys.kept}
          onClose={() => setSecret(null)}
        />
      )}
      {revoking && (
        <Dialog title={t.keys.revoke} onClose={() => setRevoking(null)}>
          <p>{t.keys.revokeText(revoking.name)}</p>
          <ActForm
            danger
            act={revoke}
            label={t.keys.revoke}
            beside={<CancelButton onClick={() => setRevoking(null)} />}
          >
            {null}
          </ActForm>
        </Dialog>
      )}
    </Page>
  )
}
