import { Link } from '@tanstack/react-router'
import { use, type ReactNode } from 'react'
import { AuthPage } from '../features/auth/auth-page.tsx'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Page, PanelContext, usePanel } from './page.tsx'

/**
 * Page for an unknown address, inside or outside the shell. Pages exist in both modes or in neither, so the other mode is
 * not offered here as in `Missing`.
 */
export const NotFound = () =>
  use(PanelContext) ? <NotFoundPage text={t.common.notFoundHint} /> : <Outside />

function Outside() {
  return (
    <AuthPage title={t.common.notFound}>
      <p>{t.common.notFoundHint}</p>
      <a className="button" href="/">
        {t.common.home}
      </a>
    </AuthPage>
  )
}

/** The page for what does not exist, inside the shell. */
export function NotFoundPage(props: {
  text: string
  /** Details for reporting a broken link; by default the address. */
  details?: string
  /** A better next step than the start page. */
  act?: ReactNode
}) {
  const { text, details, act } = props
  const { modo, search } = usePanel()
  return (
    <Page title={t.common.notFound}>
      <div className="empty">
        <p data-sentence role={details === undefined ? undefined : 'status'}>
          {text}
        </p>
        <div className="row">
          {act}
          <Link className={act ? 'button' : 'button primary'} to="/$modo/inicio" params={{ modo }}>
            {t.common.home}
          </Link>
          <button type="button" className="button" onClick={search}>
            {t.palette.title}
          </button>
          <CopyButton
            text={details ?? `404 ${location.href} (${document.referrer || t.common.none})`}
            label={t.common.copyDetails}
          />
        </div>
      </div>
    </Page>
  )
}
