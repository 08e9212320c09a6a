import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError, type Mode } from '../data/api.ts'
import { t } from '../phrases/phrases.ts'
import { ErrorBlock } from '../ui/error-block.tsx'
import { Page, usePanel } from './page.tsx'

/**
 * Error page for a resource that could not be loaded. After a 404 it tries the other mode, and links there if found.
 */
export function Missing(props: {
  error: unknown
  retry: () => void
  /** Loads the resource in a mode; rejects if it does not exist there. */
  fetchIn: (mode: Mode) => Promise<unknown>
  /** The path of its page, without the mode. */
  path: string
}) {
  const { error, retry, fetchIn: look, path } = props
  const { mode } = usePanel()
  const gone = error instanceof ApiError && error.status === 404
  const other: Mode = mode === 'test' ? 'production' : 'test'
  const there = useQuery({
    queryKey: [other, 'missing', path],
    queryFn: () => look(other).then(() => true),
    enabled: gone,
    retry: false,
  })
  const modo = other === 'test' ? 'teste' : 'producao'
  return (
    <Page title={gone ? t.common.notFound : t.common.failed}>
      <ErrorBlock error={error} retry={retry} />
      {there.data && (
        <div className="empty">
          <p>{t.common.inOther(other === 'test' ? t.nav.test : t.nav.production)}</p>
          <Link className="button primary" to={`/${modo}${path}`}>
            {t.common.open}
          </Link>
        </div>
      )}
    </Page>
  )
}
