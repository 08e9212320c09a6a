import { useEffect, useState } from 'react'
import type { Envelope } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import { Empty, Time } from '../ui/controls.tsx'
import { Page, usePlace } from '../ui/page.tsx'

const MOST = 1000

/** What happens in this mode while the page is open. */
export function Events() {
  const { live } = usePlace()
  const [heard, setHeard] = useState<Envelope[]>([])
  const [paused, setPaused] = useState(false)
  useEffect(() => {
    if (!live || paused) return
    return live.listen((envelope) => setHeard((known) => [envelope, ...known].slice(0, MOST)))
  }, [live, paused])
  return (
    <Page
      title={t.events.title}
      text={t.events.text}
      act={
        <div className="linha">
          <button type="button" className="botao" onClick={() => setPaused(!paused)}>
            {paused ? t.events.resume : t.events.pause}
          </button>
          <button type="button" className="botao" onClick={() => setHeard([])}>
            {t.events.clear}
          </button>
        </div>
      }
    >
      <p className="discreto">{t.events.lost}</p>
      {heard.length === 0 ? (
        <Empty text={t.events.empty} />
      ) : (
        <div className="pilha-menor">
          {heard.map((envelope) => (
            <details key={envelope.data.eventId} className="cartao">
              <summary>
                <code>{envelope.event}</code> · <Time at={envelope.timestamp} />
              </summary>
              <pre tabIndex={0}>{JSON.stringify(envelope, null, 2)}</pre>
            </details>
          ))}
        </div>
      )}
    </Page>
  )
}
