import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { renderSVG } from 'uqr'
import { callApi, callPanel } from '../../data/api.ts'
import type { Instance, Pairing as PairingState } from '../../data/api-types.ts'
import { createBusinessPhone } from '../../data/trigger-event.ts'
import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { ActionButton, ActionForm, trimmedText, useAction } from '../../ui/form.tsx'
import { canDevelop, usePanel } from '../../shell/page.tsx'
import { useSecondsUntil } from '../../ui/time.tsx'
import { PairingLink } from './pairing-link.tsx'

const POLL_INTERVAL_MS = 3000
const UNPAIRED: Instance['status'][] = ['CREATED', 'LOGGED_OUT']
/** Statuses in which a code does not help. */
const STUCK: Instance['status'][] = ['PASSKEY_REQUIRED', 'BANNED', 'STOPPED', 'DISCONNECTED']

/** The QR code to scan, renewed when the network renews it; black on white in both themes. */
export function Pairing({ instance }: { instance: Instance }) {
  const { mode, modo, me, liveState } = usePanel()
  const { id, status, name } = instance
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'pairing', id],
    queryFn: () =>
      callPanel('GET /panel/api/{mode}/instances/{id}/pairing', { params: [mode, id] }),
    // The live stream announces each code; poll while it is down or no valid code is known.
    refetchInterval: ({ state: { data } }) => {
      const good = data?.code && Date.parse(data.expiresAt ?? '') > Date.now()
      return good && liveState === 'open' ? false : POLL_INTERVAL_MS
    },
  })
  async function connect(): Promise<void> {
    await callApi(mode, 'POST /v1/instances/{id}/connect', { params: [id] })
    await client.invalidateQueries({ queryKey: [mode, 'pairing'] })
  }
  const { error, busy, run } = useAction(connect)
  // Request codes once when the page opens; when they are used up, the user asks for more.
  const requested = useRef(false)
  const begins = UNPAIRED.includes(status) && canDevelop(me)
  useEffect(() => {
    if (!begins || requested.current) return
    requested.current = true
    run()
  })
  const now = query.data?.status ?? status
  if (now === 'CONNECTED') {
    return (
      <section className="card" aria-live="polite">
        <h2 className="status ok">{t.instances.done(name)}</h2>
        <p>{t.instances.doneText}</p>
        <div className="row">
          <Link className="button primary" to="/$modo/webhooks/novo" params={{ modo }}>
            {t.webhooks.create}
          </Link>
          <Link className="button" to="/$modo/instancias/$id/mensagens" params={{ modo, id }}>
            {t.messages.title}
          </Link>
        </div>
      </section>
    )
  }
  const code = query.data?.code ?? null
  const expired = instance.disconnect?.reason === 'qr_expired'
  const usedUp = requested.current && !busy && UNPAIRED.includes(now) && expired
  if (STUCK.includes(now)) {
    return (
      <section className="card" aria-live="polite">
        <h2>{t.states[now]}</h2>
        {instance.disconnect && <p>{instance.disconnect.message}</p>}
        {now === 'STOPPED' && canDevelop(me) && (
          <ActionButton kind="primary" label={t.instances.again} act={connect} />
        )}
        <Link to="/$modo/instancias/$id" params={{ modo, id }}>
          {t.instances.overview}
        </Link>
      </section>
    )
  }
  return (
    <section className="card pairing" aria-labelledby="parear">
      <div className="stack">
        <h2 id="parear">{t.instances.scanTitle}</h2>
        <ol className="numbered">
          {[t.instances.scan1, t.instances.scan2, t.instances.scan3].map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
        {(error ?? query.error) !== null && (
          <ErrorBlock error={error ?? query.error} retry={() => run()} />
        )}
        {liveState === 'waiting' && <p role="status">{t.instances.polling}</p>}
        {mode === 'test' && code && (
          <div className="row">
            <ActionButton
              kind="primary"
              label={t.instances.openPhone}
              act={async () => {
                const phone = await createBusinessPhone()
                await callApi('test', 'POST /v1/simulator/phones/{id}/scan', {
                  params: [phone.id],
                  body: { code },
                })
                await client.invalidateQueries({ queryKey: [mode] })
              }}
            />
          </div>
        )}
        {canDevelop(me) && code && <PairByCode id={id} />}
        {canDevelop(me) && <PairingLink id={id} />}
      </div>
      <div className="qr" aria-live="polite">
        {code && query.data ? (
          <Code pairing={query.data} code={code} />
        ) : usedUp ? (
          <div className="empty">
            <p>{t.instances.usedUp}</p>
            <ActionButton
              kind="primary"
              label={t.instances.newCodes}
              act={async () => {
                await callApi(mode, 'POST /v1/instances/{id}/connect', { params: [id] })
                await client.invalidateQueries({ queryKey: [mode, 'instances'] })
              }}
            />
          </div>
        ) : (
          <>
            <div className="qr-empty skeleton" />
            <p role="status">{now === 'PAIRED' ? t.instances.syncing : t.instances.generating}</p>
          </>
        )}
      </div>
    </section>
  )
}

function Code({ pairing, code }: { pairing: PairingState; code: string }) {
  const { at, expiresAt, sequence, most } = pairing
  const seconds = useSecondsUntil(expiresAt)
  const lives = at && expiresAt ? (Date.parse(expiresAt) - Date.parse(at)) / 1000 : 60
  const frame = useRef<HTMLDivElement>(null)
  return (
    <>
      <div
        ref={frame}
        className="qr-code"
        role="img"
        aria-label={t.instances.qrLabel}
        data-testid="qr"
        dangerouslySetInnerHTML={{ __html: renderSVG(code, { border: 4 }) }}
      />
      {/* Off, or screen readers would announce every second. */}
      <span className="countdown" aria-live="off">
        <Ring part={seconds / lives} />
        {t.instances.sequence(sequence, most)} · {t.instances.expires(seconds)}
      </span>
      <button
        type="button"
        className="button"
        onClick={() => void frame.current?.requestFullscreen()}
      >
        {t.instances.fullScreen}
      </button>
    </>
  )
}

const RADIUS = 9
const ROUND = 2 * Math.PI * RADIUS

/** The remaining lifetime of the code (`part`, from 0 to 1) as a ring. */
function Ring({ part }: { part: number }) {
  const left = Math.min(1, Math.max(0, part)) * ROUND
  return (
    <svg className="ring" width="24" height="24" viewBox="0 0 24 24" aria-hidden>
      <circle cx="12" cy="12" r={RADIUS} />
      <circle cx="12" cy="12" r={RADIUS} strokeDasharray={`${left} ${ROUND}`} />
    </svg>
  )
}

/** Pairs without a camera, by a code typed on the phone. */
function PairByCode({ id }: { id: string }) {
  const { mode } = usePanel()
  const [code, setCode] = useState<string | null>(null)
  return (
    <details>
      <summary>{t.instances.byNumber}</summary>
      <ActionForm
        label={t.instances.askCode}
        act={async (form) => {
          const body = { phone: trimmedText(form, 'phone') }
          const made = await callApi(mode, 'POST /v1/instances/{id}/pairing-code', {
            params: [id],
            body,
          })
          setCode(made.code)
        }}
      >
        <Field label={t.instances.number} name="phone" inputMode="tel" required />
      </ActionForm>
      <div aria-live="polite">{code && <p className="big-number">{code}</p>}</div>
    </details>
  )
}
