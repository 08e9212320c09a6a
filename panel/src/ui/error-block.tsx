import { Link, useParams } from '@tanstack/react-router'
import { ApiError } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from './copy-button.tsx'

/** What helps after this failure, beside trying again; null where nothing is known to. */
function hintOf(error: ApiError, within: boolean): string | null {
  // Before the door nobody has a role.
  if (error.status === 403) return within ? t.faults.forbidden : null
  if (error.reason === 'DAILY_CAP_REACHED') return t.faults.cap
  if (error.status === 429) return t.faults.slower
  if (error.status === 503) return t.faults.away
  return error.status >= 500 ? t.faults.ours : null
}

/** The server's sentence as it is, its code and its request, what helps, and a way to try again. */
export function ErrorBlock({ error, retry }: { error: unknown; retry?: () => void }) {
  const { modo } = useParams({ strict: false })
  const known = error instanceof ApiError ? error : null
  const message = error instanceof Error ? error.message : String(error)
  const details = known && t.common.details(known.reason ?? known.code, known.requestId ?? '—')
  const hint = known && hintOf(known, modo !== undefined)
  return (
    <div className="erro" role="alert">
      <strong>{message}</strong>
      {hint && <span>{hint}</span>}
      {known?.requestId && <small>{details}</small>}
      <div className="linha">
        {retry && (
          <button type="button" className="botao" onClick={retry}>
            {t.common.retry}
          </button>
        )}
        {known?.status === 402 && modo && (
          <Link className="botao" to="/$modo/plano" params={{ modo }}>
            {t.nav.plan}
          </Link>
        )}
        {known?.requestId && (
          <CopyButton text={`${message}\n${details}`} label={t.common.copyDetails} />
        )}
      </div>
    </div>
  )
}
