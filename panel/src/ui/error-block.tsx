import { Link, useParams } from '@tanstack/react-router'
import { ApiError } from '../data/api.ts'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from './copy-button.tsx'

/** Advice for a failure beyond retrying, or null. `within`: inside the shell. */
function hintOf(error: ApiError, within: boolean): string | null {
  // Before sign-in there is no role to mention.
  if (error.status === 403) return within ? t.faults.forbidden : null
  if (error.reason === 'DAILY_CAP_REACHED') return t.faults.cap
  if (error.status === 429) return t.faults.slower
  if (error.status === 503) return t.faults.away
  return error.status >= 500 ? t.faults.ours : null
}

/** The name of a field at the beginning of a message. */
const FIELD = /^[\w.[\]-]+: /

/** Shows an error: the server's message, its code and request id, advice, and a retry button. */
export function ErrorBlock({ error, retry }: { error: unknown; retry?: () => void }) {
  const { modo } = useParams({ strict: false })
  const known = error instanceof ApiError ? error : null
  const message = error instanceof Error ? error.message : String(error)
  const details = known && t.common.details(known.reason ?? known.code, known.requestId ?? '—')
  const hint = known && hintOf(known, modo !== undefined)
  // Before sign-in, codes and ids only help with faults of the server.
  const isTechnical = modo !== undefined || (known?.status ?? 0) >= 500
  return (
    <div className="error" role="alert">
      <strong data-sentence={!FIELD.test(message)}>{message}</strong>
      {hint && <span>{hint}</span>}
      {isTechnical && known?.requestId && <small>{details}</small>}
      <div className="row">
        {retry && (
          <button type="button" className="button" onClick={retry}>
            {t.common.retry}
          </button>
        )}
        {known?.status === 402 && modo && (
          <Link className="button" to="/$modo/plano" params={{ modo }}>
            {t.nav.plan}
          </Link>
        )}
        {isTechnical && known?.requestId && (
          <CopyButton text={`${message}\n${details}`} label={t.common.copyDetails} />
        )}
      </div>
    </div>
  )
}
