import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import {
  ActForm,
  Bead,
  CancelButton,
  Empty,
  ErrorBlock,
  Field,
  textOf,
  Time,
} from '../ui/controls.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Load } from '../ui/load.tsx'
import { SecretOnce } from '../ui/secret-once.tsx'
import { Page, usePlace } from '../ui/page.tsx'

export function Webhooks() {
  const { mode, modo } = usePlace()
  const [creating, setCreating] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const query = useQuery({
    queryKey: [mode, 'webhooks'],
    queryFn: () => api(mode, 'GET /v1/webhooks'),
  })
  return (
    <Page
      title={t.webhooks.title}
      text={t.webhooks.text}
      act={
        <button type="button" className="botao principal" onClick={() => setCreating(true)}>
          {t.webhooks.create}
        </button>
      }
    >
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={t.webhooks.empty} />
          ) : (
            <div className="tabela">
              <table>
                <thead>
                  <tr>
                    <th scope="col">{t.common.name}</th>
                    <th scope="col">{t.webhooks.url}</th>
                    <th scope="col">{t.common.status}</th>
                    <th scope="col">{t.webhooks.lastSuccess}</th>
                    <th scope="col">{t.webhooks.lastFailure}</th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((webhook) => (
                    <tr key={webhook.id}>
                      <td>
                        <Link to="/$modo/webhooks/$id" params={{ modo, id: webhook.id }}>
                          {webhook.name}
                        </Link>
                      </td>
                      <td>{webhook.url}</td>
                      <td>
                        <Bead tone={webhook.enabled ? 'ok' : 'alerta'}>
                          {webhook.enabled ? t.webhooks.on : t.webhooks.off}
                        </Bead>
                      </td>
                      <td>
                        <Time at={webhook.lastSuccessAt} />
                      </td>
                      <td>
                        <Time at={webhook.lastFailureAt} />
                        {webhook.lastFailureReason && (
                          <div className="discreto">{webhook.lastFailureReason}</div>
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
        <Creation
          onClose={() => setCreating(false)}
          onMade={(made) => {
            setCreating(false)
            setSecret(made)
          }}
        />
      )}
      {secret && (
        <SecretOnce
          title={t.webhooks.onceTitle}
          text={t.webhooks.onceText}
          secret={secret}
          kept={t.webhooks.kept}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  )
}

function Creation(props: { onClose: () => void; onMade: (secret: string) => void }) {
  const { onClose, onMade } = props
  const { mode } = usePlace()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [url, setUrl] = useState('')
  const [error, setError] = useState<unknown>(null)
  async function create(form: FormData) {
    const body = { name: textOf(form, 'name'), url: textOf(form, 'url') }
    const { secret } = await api(mode, 'POST /v1/webhooks', { body })
    await client.invalidateQueries({ queryKey: [mode, 'webhooks'] })
    onMade(secret)
  }
  /** Fills in the address of an inbox, one that is made if there is none. */
  async function useInbox() {
    setError(null)
    try {
      const { items } = await api('test', 'GET /v1/simulator/inboxes')
      const body = { name: t.webhooks.suggested }
      const inbox = items[0] ?? (await api('test', 'POST /v1/simulator/inboxes', { body }))
      setUrl(inbox.url)
      setName((known) => known || t.webhooks.suggested)
    } catch (failure) {
      setError(failure)
    }
  }
  return (
    <Dialog title={t.webhooks.create} onClose={onClose}>
      {mode === 'test' && (
        <div>
          <button type="button" className="botao" onClick={() => void useInbox()}>
            {t.webhooks.useInbox}
          </button>
        </div>
      )}
      {error !== null && <ErrorBlock error={error} />}
      <ActForm act={create} label={t.common.create} beside={<CancelButton onClick={onClose} />}>
        <Field
          label={t.common.name}
          name="name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          required
        />
        <Field
          label={t.webhooks.url}
          name="url"
          inputMode="url"
          value={url}
          onChange={(event) => setUrl(event.target.value)}
          required
        />
      </ActForm>
    </Dialog>
  )
}
