import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError, type Mode } from '../data/api.ts'
import { t } from '../phrases/phrases.ts'
import { ErrorBlock } from '../ui/error-block.tsx'
import { NotFoundPage } from './not-found.tsx'
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
  if (!gone) {
    return (
      <Page title={t.common.failed}>
        <ErrorBlock error={error} retry={retry} />
      </Page>
    )
  }
  const modo = other === 'test' ? 'teste' : 'producao'
  const details = `${error.message}\n${t.common.details(error.code, error.requestId ?? '—')}`
  if (!there.data)
    return (
      <NotFoundPage
        text={`${error.message.replace(/\.$/, '')}. ${t.common.notFoundHint}`}
        details={details}
      />
    )
  return (
    <NotFoundPage
      text={t.common.inOther(other === 'test' ? t.nav.test : t.nav.production)}
      details={details}
      act={
        <Link className="button primary" to={`/${modo}${path}`}>
          {t.common.open}
        </Link>
      }
    />
  )
}
