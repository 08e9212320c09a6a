import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi, callPanel, type Mode } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstance } from '../../data/queries.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { ActionButton } from '../../ui/form.tsx'
import { Load } from '../../ui/load.tsx'
import { Missing } from '../../shell/missing.tsx'
import { canDevelop, Page, usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { Time } from '../../ui/time.tsx'
import { useOnward } from '../../ui/use-onward.ts'
import { CloudAccount } from './cloud-account.tsx'
import { FirstSend } from './first-send.tsx'
import { HealthCard } from './health-card.tsx'
import { InstanceNav, UNPAIRED } from './instance-nav.tsx'
import { InstanceState, toneOf } from './instances.tsx'
import { Pairing } from './pairing.tsx'
import { ProfileCard } from './profile-card.tsx'
import { TemplatesCard } from './templates-card.tsx'
import { Settings } from './instance-settings.tsx'

const CONNECTED: Instance['status'][] = ['CONNECTED', 'DISCONNECTED', 'PAIRED']

/** Loads the instance named in the URL, which may not exist in this mode. */
function OneInstance(props: { path: string; children: (instance: Instance) => React.ReactNode }) {
  const { id = '' } = useParams({ strict: false })
  const query = useInstance(id)
  const { data, error, refetch } = query
  if (!data && error) {
    return (
      <Missing
        error={error}
        retry={() => void refetch()}
        fetchIn={(mode) => callApi(mode, 'GET /v1/instances/{id}', { params: [id] })}
        path={`/instancias/${id}${props.path}`}
      />
    )
  }
  return <Load query={query}>{props.children}</Load>
}

/** Overview of an instance: status, history, settings and an example call. */
export function InstancePage() {
  return (
    <OneInstance path="">
      {(instance) => <Overview key={instance.id} instance={instance} />}
    </OneInstance>
  )
}

/** Whether a token of Meta connects the instance; virtual phones connect those of test mode. */
const usesToken = ({ network }: Instance, mode: Mode) =>
  network === 'cloud_api' && mode === 'production'

/** Pairing page of an instance. */
export function PairingPage() {
  const { mode } = usePanel()
  return (
    <OneInstance path="/parear">
      {(instance) => (
        <Page title={instance.name} act={<InstanceNav instance={instance} />}>
          {usesToken(instance, mode) ? (
            <CloudAccount instance={instance} />
          ) : (
            <Pairing instance={instance} />
          )}
        </Page>
      )}
    </OneInstance>
  )
}

function Overview({ instance }: { instance: Instance }) {
  const { mode, modo, me } = usePanel()
  const { id, name, phone, status, network, disconnect, restriction, queue } = instance
  return (
    <Page title={name} text={id} act={<InstanceNav instance={instance} />}>
      <section className="card" aria-labelledby="estado">
        <h2 id="estado">{t.common.status}</h2>
        <div className="row" aria-live="polite">
          <InstanceState status={status} />
          {phone && <span>{formatPhone(phone)}</span>}
          {network === 'cloud_api' && <span className="quiet">{t.official.badge}</span>}
          {queue.pending > 0 && <span>{t.instances.queued(queue.pending)}</span>}
        </div>
        {disconnect && status !== 'CONNECTED' && status !== 'BANNED' && <p>{disconnect.message}</p>}
        {restriction && status !== 'BANNED' && (
          <p role="alert">
            {t.instances.restricted(restriction.type)}{' '}
            {restriction.until && (
              <>
                {t.instances.restrictedUntil} <Time at={restriction.until} />
              </>
            )}
          </p>
        )}
        {status === 'BANNED' && (
          <>
            <p role="alert">{t.instances.banned}</p>
            {canDevelop(me) && (
              <div>
                <Link
                  className="button primary"
                  to="/$modo/instancias"
                  params={{ modo }}
                  search={{ nova: 'sim' }}
                >
                  {t.instances.another}
                </Link>
              </div>
            )}
          </>
        )}
        {status === 'LOGGED_OUT' && <p>{t.instances.loggedOut}</p>}
        {status === 'PASSKEY_REQUIRED' && <p>{t.instances.passkey}</p>}
        {UNPAIRED.includes(status) && canDevelop(me) && (
          <div>
            <Link
              className="button primary"
              to="/$modo/instancias/$id/parear"
              params={{ modo, id }}
            >
              {t.instances.pair}
            </Link>
          </div>
        )}
        {canDevelop(me) && <InstanceActions instance={instance} />}
      </section>
      {network === 'cloud_api' && status === 'CONNECTED' && <TemplatesCard instanceId={id} />}
      {!UNPAIRED.includes(status) && status !== 'BANNED' && <HealthCard instanceId={id} />}
      {status === 'CONNECTED' && !usesToken(instance, mode) && <ProfileCard instance={instance} />}
      <History id={id} />
      {canDevelop(me) && <Settings instance={instance} />}
      <FirstSend instanceId={instance.id} />
    </Page>
  )
}

function InstanceActions({ instance }: { instance: Instance }) {
  const { mode, modo } = usePanel()
  const { id, name, status, disconnect } = instance
  const gaveUp = status === 'DISCONNECTED' && disconnect?.willReconnect === false
  const client = useQueryClient()
  const goOn = useOnward()
  const [asked, setAsked] = useState<'remove' | 'logout' | 'disconnect' | null>(null)
  const refresh = () => client.invalidateQueries({ queryKey: [mode, 'instances'] })
  const act = (route: 'connect' | 'disconnect' | 'logout') => async () => {
    await callApi(mode, `POST /v1/instances/{id}/${route}`, { params: [id] })
    setAsked(null)
    await refresh()
  }
  async function remove() {
    await callApi(mode, 'DELETE /v1/instances/{id}', { params: [id] })
    await goOn({ to: '/$modo/instancias', params: { modo } })
    await refresh()
  }
  return (
    <div className="row">
      {usesToken(instance, mode) && !UNPAIRED.includes(status) && (
        <Link className="button" to="/$modo/instancias/$id/parear" params={{ modo, id }}>
          {t.official.replace}
        </Link>
      )}
      {CONNECTED.includes(status) && (
        <>
          <button type="button" className="button" onClick={() => setAsked('disconnect')}>
            {t.instances.disconnect}
          </button>
          <button type="button" className="button" onClick={() => setAsked('logout')}>
            {t.instances.logout}
          </button>
        </>
      )}
      {gaveUp && <ActionButton act={act('connect')} label={t.instances.again} />}
      {!CONNECTED.includes(status) && !UNPAIRED.includes(status) && status !== 'BANNED' && (
        <ActionButton act={act('connect')} label={t.instances.again} />
      )}
      <button type="button" className="button danger" onClick={() => setAsked('remove')}>
        {t.instances.remove}
      </button>
      {asked === 'disconnect' && (
        <Confirm
          title={t.instances.disconnect}
          object={name}
          text={t.instances.disconnectText}
          act={act('disconnect')}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'logout' && (
        <Confirm
          danger
          name={name}
          title={t.instances.logout}
          text={t.instances.logoutText(name)}
          act={act('logout')}
          onClose={() => setAsked(null)}
        />
      )}
      {asked === 'remove' && (
        <Confirm
          danger
          title={t.instances.remove}
          text={t.instances.removeText(name)}
          name={name}
          act={remove}
          onClose={() => setAsked(null)}
        />
      )}
    </div>
  )
}

/** Translates the reason of a status change; an unknown reason is returned as is. */
const reasonOf = (reason: string): string => (t.reasons as Record<string, string>)[reason] ?? reason

/** The status changes of an instance, newest first. */
function History({ id }: { id: string }) {
  const { mode } = usePanel()
  const query = useQuery({
    queryKey: [mode, 'history', id],
    queryFn: () =>
      callPanel('GET /panel/api/{mode}/instances/{id}/history', { params: [mode, id] }),
  })
  return (
    <section className="card" aria-labelledby="historia">
      <h2 id="historia">{t.instances.history}</h2>
      <Load query={query}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="quiet">{t.instances.noHistory}</p>
          ) : (
            <ol className="history">
              {items.map(({ id: key, to, reason, at }) => (
                <li key={key} className={`history-step ${toneOf(to)}`}>
                  <strong>{t.states[to]}</strong>
                  <span className="quiet">
                    <Time at={at} />
                    {reason && ` · ${reasonOf(reason)}`}
                  </span>
                </li>
              ))}
            </ol>
          )
        }
      </Load>
    </section>
  )
}
