import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ApiError, type Mode } from '../api.ts'
import { t } from '../phrases/phrases.ts'
import { ErrorBlock } from './error-block.tsx'
import { Page, usePlace } from './page.tsx'

/**
 * What stands where one thing could not be shown. What is not here may be in the other mode: it is looked for there.
 */
export function Missing(props: {
  error: unknown
  retry: () => void
  /** Asks for the same thing in a mode. */
  look: (mode: Mode) => Promise<unknown>
  /** Where it is shown, after the mode. */
  path: string
}) {
  const { error, retry, look, path } = props
  const { mode } = usePlace()
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
        <div className="vazio">
          <p>{t.common.inOther(other === 'test' ? t.nav.test : t.nav.production)}</p>
          <Link className="botao principal" to={`/${modo}${path}`}>
            {t.common.open}
          </Link>
        </div>
      )}
    </Page>
  )
}
