import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Webhook } from '../../data/api-types.ts'
import { triggerEvent, EVENTS } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { usePanel } from '../../shell/page.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { useOnward } from '../../ui/use-onward.ts'

/** How long the previous secret still signs. */
const OVERLAP_HOURS = 24

/** One button per event, which triggers the event on the simulated network. */
export function TestEvents(props: { webhook: Webhook; onCaused: () => void }) {
  const {
    webhook: { events, enabled },
    onCaused,
  } = props
  const { mode, modo } = usePanel()
  const instances = useInstances()
  const [told, setTold] = useState<string | null>(null)
  if (mode !== 'test') return null
  const instance = instances.data?.items.find(({ status }) => status === 'CONNECTED')
  return (
    <details className="card">
      <summary>{t.webhooks.test}</summary>
      <p className="quiet">{t.webhooks.testText}</p>
      {!instance && (
        <p>
          {t.webhooks.testNeeds}{' '}
          <Link to="/$modo/instancias" params={{ modo }}>
            {t.instances.title}
          </Link>
        </p>
      )}
      {instance && (
        <ul className="fields list">
          {EVENTS.map((event) => (
            <li key={event}>
              <ActionButton
                label={event}
                disabled={!enabled || (events.length > 0 && !events.includes(event))}
                act={async () => {
                  await triggerEvent(event, instance)
                  onCaused()
                  setTold(event)
                }}
              />
              <div className="quiet">{t.eventNames[event]}</div>
            </li>
          ))}
        </ul>
      )}
      <div role="status">{told && t.webhooks.tested(told)}</div>
    </details>
  )
}

/** Actions on a webhook: pause, resume, replace and remove. */
export function WebhookActions({ webhook: { id, name, enabled } }: { webhook: Webhook }) {
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const goOn = useOnward()
  const [asked, setAsked] = useState<'pause' | 'remove' | 'rotate' | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'webhooks'] })
  async function turn(on: boolean) {
    await callApi(mode, 'PATCH /v1/webhooks/{id}', { params: [id], body: { enabled: on } })
    setAsked(null)
    await refresh()
  }
  async function rotate() {
    const made = await callApi(mode, 'POST /v1/webhooks/{id}/rotate-secret', {
      params: [id],
      body: { overlapHours: OVERLAP_HOURS },
    })
    setAsked(null)
    setSecret(made.secret)
    await refresh()
  }
  async function remove() {
    await callApi(mode, 'DELETE /v1/webhooks/{id}', { params: [id] })
    await goOn({ to: '/$modo/webhooks', params: { modo } })
    await refresh()
  }
  return (
    <div className="row">
      {enabled ? (
        <button type="button" className="button" onClick={() => setAsked('pause')}>
          {t.webhooks.pause}
        </button>
      ) : (
        <ActionButton label={t.webhooks.resume} act={() => turn(true)} />
      )}
      <Link className="button" to="/$modo/webhooks/novo" params={{ modo }} search={{ de: id }}>
        {t.webhooks.replace}
      </Link>
      <button type="button" className="button" onClick={() => setAsked('rotate')}>
        {t.webhooks.rotate}
      </button>
      <button type="button" className="button danger" onClick={() => setAsked('remove')}>
        {t.webhooks.remove}
      </button>
      {asked === 'pause' && (
        <Confirm
          title={t.webhooks.pause}
          object={name}
          text={t.webhooks.pauseText}
          act={() => turn(false)}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'rotate' && (
        <Confirm
          title={t.webhooks.rotate}
          object={name}
          text={t.webhooks.rotateText(OVERLAP_HOURS)}
          act={rotate}
          onClose={() => setAsked(null)}
        />
      )}
      {secret && (
        <SecretOnce
          title={t.webhooks.onceTitle}
          text={t.webhooks.onceText}
          secret={secret}
          confirmLabel={t.webhooks.kept}
          examples={{ '.env': `RECADO_SECRET=${secret}` }}
          onClose={() => setSecret(null)}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          danger
          title={t.webhooks.remove}
          text={t.webhooks.removeText(name)}
          name={name}
          act={remove}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}
