import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { renderSVG } from 'uqr'
import { api } from '../api.ts'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { ErrorBlock } from '../ui/controls.tsx'
import { usePlace } from '../ui/page.tsx'

const LOOK_MS = 3000

/** Seconds until then, counted down. */
function useSecondsUntil(at: string | null): number {
  const left = () => (at ? Math.max(0, Math.ceil((Date.parse(at) - Date.now()) / 1000)) : 0)
  const [seconds, setSeconds] = useState(left)
  useEffect(() => {
    setSeconds(left())
    const timer = setInterval(() => setSeconds(left()), 1000)
    return () => clearInterval(timer)
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `left` follows `at`
  }, [at])
  return seconds
}

/** The code to scan, black on white in both themes, renewed as the network renews it. */
export function Pairing({ instance: { id } }: { instance: Instance }) {
  const { mode } = usePlace()
  const client = useQueryClient()
  const query = useQuery({
    queryKey: [mode, 'pairing', id],
    queryFn: () => api(mode, 'GET /v1/instances/{id}/qr/poll', { params: [id] }),
    // The live stream tells of each code; this is for when it does not.
    refetchInterval: LOOK_MS,
  })
  const { code = null, expiresAt = null } = query.data ?? {}
  const seconds = useSecondsUntil(expiresAt)
  return (
    <section className="cartao" aria-labelledby="parear">
      <h2 id="parear">{t.instances.scanTitle}</h2>
      <p>{t.instances.scanSteps}</p>
      {query.error && <ErrorBlock error={query.error} retry={() => void query.refetch()} />}
      <div className="qr">
        {code ? (
          <>
            <div
              role="img"
              aria-label={t.instances.qrLabel}
              data-testid="qr"
              dangerouslySetInnerHTML={{ __html: renderSVG(code, { border: 4 }) }}
            />
            <span className="discreto">{t.instances.expires(seconds)}</span>
          </>
        ) : (
          <p role="status">{t.instances.generating}</p>
        )}
      </div>
      {mode === 'test' && code && (
        <VirtualScan
          code={code}
          onScanned={() => client.invalidateQueries({ queryKey: [mode, 'instances'] })}
        />
      )}
    </section>
  )
}

/** Has a virtual telephone read the code, one that is made if there is none. */
function VirtualScan({ code, onScanned }: { code: string; onScanned: () => Promise<void> }) {
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState(false)
  async function scan() {
    setBusy(true)
    setError(null)
    try {
      const { items } = await api('test', 'GET /v1/simulator/phones')
      const free = items.find(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
      const body = { name: t.instances.suggested }
      const phone = free ?? (await api('test', 'POST /v1/simulator/phones', { body }))
      await api('test', 'POST /v1/simulator/phones/{id}/scan', {
        params: [phone.id],
        body: { code },
      })
      await onScanned()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }
  return (
    <div className="pilha-menor">
      {error !== null && <ErrorBlock error={error} />}
      <div>
        <button
          type="button"
          className="botao principal"
          disabled={busy}
          onClick={() => void scan()}
        >
          {t.instances.openPhone}
        </button>
      </div>
    </div>
  )
}
