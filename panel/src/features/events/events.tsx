import { useEffect, useRef, useState } from 'react'
import { firstSendCommand } from '../../data/api.ts'
import { triggerEvent, EVENTS } from '../../data/trigger-event.ts'
import type { Envelope } from '../../data/live.ts'
import { t } from '../../phrases/phrases.ts'
import { useInstances } from '../../data/queries.ts'
import { Choice, Empty } from '../../ui/controls.tsx'
import { EventRow } from './event-row.tsx'
import { useFilters } from '../../ui/filters.ts'
import { ActionButton } from '../../ui/form.tsx'
import { Page, usePanel } from '../../shell/page.tsx'

const MAX_EVENTS = 1000
const SHOWN = 100
const TRIGGERABLE = ['message.received', 'call.received', 'instance.status'] as const

/** The events of this mode received while the page is open. */
export function Events() {
  const { mode, live, liveState } = usePanel()
  const { values, set } = useFilters<'evento' | 'instancia'>()
  const [received, setHeard] = useState<Envelope[]>([])
  /** The events shown when the user paused; later ones are held back. */
  const [paused, setPaused] = useState<Envelope[] | null>(null)
  const [gap, setGap] = useState(false)
  const [shown, setShown] = useState(SHOWN)
  useEffect(() => {
    if (!live) return
    return live.subscribe((envelope) =>
      setHeard((known) => [envelope, ...known].slice(0, MAX_EVENTS)),
    )
  }, [live])
  // Counts events since the newest one at the pause. If the cap of the list has dropped that one, there are at least
  // `MOST`.
  const since = paused?.[0] ? received.indexOf(paused[0]) : received.length
  const waiting = paused === null ? 0 : since === -1 ? MAX_EVENTS : since
  // Events during a disconnection are not replayed, so point out the gap.
  const wasOpen = useRef(false)
  useEffect(() => {
    if (liveState === 'open') wasOpen.current = true
    else if (liveState === 'waiting' && wasOpen.current) setGap(true)
  }, [liveState])
  const instances = useInstances()
  const named = (id: string) => instances.data?.items.find((one) => one.id === id)?.name ?? id
  const wanted = (paused ?? received).filter(
    ({ event, instanceId }) =>
      (!values.evento || event === values.evento) &&
      (!values.instancia || instanceId === values.instancia),
  )
  return (
    <Page
      title={t.events.title}
      text={t.events.text}
      act={
        <div className="row">
          <button
            type="button"
            className="button"
            aria-pressed={paused !== null}
            onClick={() => setPaused(paused ? null : received)}
          >
            {paused ? t.events.resume : t.events.pause}
            {waiting > 0 && ` (${t.common.newer(waiting)})`}
          </button>
          <button
            type="button"
            className="button"
            onClick={() => {
              setHeard([])
              setPaused(null)
              setGap(false)
            }}
          >
            {t.events.clear}
          </button>
        </div>
      }
    >
      <div className="filters">
        <Choice
          label={t.webhooks.event}
          value={values.evento ?? ''}
          onChange={(event) => set({ evento: event.target.value })}
          options={[['', t.common.all], ...EVENTS.map((event) => [event, event] as const)]}
        />
        <Choice
          label={t.campaigns.instance}
          value={values.instancia ?? ''}
          onChange={(event) => set({ instancia: event.target.value })}
          options={[
            ['', t.common.allFeminine],
            ...(instances.data?.items ?? []).map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      <p className={gap ? 'stale' : 'quiet'} role="status">
        {t.events.lost}
      </p>
      {wanted.length === 0 ? (
        <Empty
          text={t.events.empty}
          curl={firstSendCommand(mode, instances.data?.items[0]?.id ?? 'ins_…', t.phone.greeting)}
        >
          <Causes />
        </Empty>
      ) : (
        <div className="stack-small">
          <p className="quiet">{t.events.count(wanted.length, MAX_EVENTS)}</p>
          <div className="framed-list">
            {wanted.slice(0, shown).map((envelope) => (
              <EventRow
                key={envelope.data.eventId}
                envelope={envelope}
                about={named(envelope.instanceId)}
              />
            ))}
          </div>
          {wanted.length > shown && (
            <button type="button" className="button" onClick={() => setShown(shown + SHOWN)}>
              {t.common.more}
            </button>
          )}
        </div>
      )}
    </Page>
  )
}

/** Buttons that trigger events on the simulated network. */
function Causes() {
  const { mode } = usePanel()
  const { data } = useInstances()
  const instance = data?.items.find(({ status }) => status === 'CONNECTED')
  if (mode !== 'test' || !instance) return null
  return (
    <div className="row">
      {TRIGGERABLE.map((event) => (
        <ActionButton key={event} label={event} act={() => triggerEvent(event, instance)} />
      ))}
    </div>
  )
}
