import { useEffect, useRef, useState } from 'react'
import { firstSend } from '../api.ts'
import { causeEvent, EVENTS } from '../cause-event.ts'
import type { Envelope } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import { useInstances } from '../queries.ts'
import { Choice, Empty } from '../ui/controls.tsx'
import { EventRow } from '../ui/event-row.tsx'
import { useFilters } from '../ui/filters.ts'
import { ActButton } from '../ui/form.tsx'
import { Page, usePlace } from '../ui/page.tsx'

const MOST = 1000
const SHOWN = 100
const CAUSED = ['message.received', 'call.received', 'instance.status'] as const

/** The events of this mode received while the page is open. */
export function Events() {
  const { mode, live, liveState } = usePlace()
  const { values, set } = useFilters<'evento' | 'instancia'>()
  const [heard, setHeard] = useState<Envelope[]>([])
  /** The events shown when the user paused; later ones are held back. */
  const [paused, setPaused] = useState<Envelope[] | null>(null)
  const [gap, setGap] = useState(false)
  const [shown, setShown] = useState(SHOWN)
  useEffect(() => {
    if (!live) return
    return live.listen((envelope) => setHeard((known) => [envelope, ...known].slice(0, MOST)))
  }, [live])
  // Counts events since the newest one at the pause. If the cap of the list has dropped that one, there are at least
  // `MOST`.
  const since = paused?.[0] ? heard.indexOf(paused[0]) : heard.length
  const waiting = paused === null ? 0 : since === -1 ? MOST : since
  // Events during a disconnection are not replayed, so point out the gap.
  const wasOpen = useRef(false)
  useEffect(() => {
    if (liveState === 'open') wasOpen.current = true
    else if (liveState === 'waiting' && wasOpen.current) setGap(true)
  }, [liveState])
  const instances = useInstances()
  const named = (id: string) => instances.data?.items.find((one) => one.id === id)?.name ?? id
  const wanted = (paused ?? heard).filter(
    ({ event, instanceId }) =>
      (!values.evento || event === values.evento) &&
      (!values.instancia || instanceId === values.instancia),
  )
  return (
    <Page
      title={t.events.title}
      text={t.events.text}
      act={
        <div className="linha">
          <button
            type="button"
            className="botao"
            aria-pressed={paused !== null}
            onClick={() => setPaused(paused ? null : heard)}
          >
            {paused ? t.events.resume : t.events.pause}
            {waiting > 0 && ` (${t.common.newer(waiting)})`}
          </button>
          <button
            type="button"
            className="botao"
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
      <div className="campos">
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
            ['', t.common.all],
            ...(instances.data?.items ?? []).map(({ id, name }) => [id, name] as const),
          ]}
        />
      </div>
      <p className={gap ? 'velho' : 'discreto'} role="status">
        {t.events.lost}
      </p>
      {wanted.length === 0 ? (
        <Empty
          text={t.events.empty}
          curl={firstSend(mode, instances.data?.items[0]?.id ?? 'ins_…', t.phone.greeting)}
        >
          <Causes />
        </Empty>
      ) : (
        <div className="pilha-menor">
          <p className="discreto">{t.events.count(wanted.length, MOST)}</p>
          {wanted.slice(0, shown).map((envelope) => (
            <EventRow
              key={envelope.data.eventId}
              envelope={envelope}
              about={named(envelope.instanceId)}
            />
          ))}
          {wanted.length > shown && (
            <button type="button" className="botao" onClick={() => setShown(shown + SHOWN)}>
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
  const { mode } = usePlace()
  const { data } = useInstances()
  const instance = data?.items.find(({ status }) => status === 'CONNECTED')
  if (mode !== 'test' || !instance) return null
  return (
    <div className="linha">
      {CAUSED.map((event) => (
        <ActButton key={event} label={event} act={() => causeEvent(event, instance)} />
      ))}
    </div>
  )
}
