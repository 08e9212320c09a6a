import { Link } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { AuthPage } from '../features/auth/auth-page.tsx'
import { use } from 'react'
import { Page, PanelContext, usePanel } from './page.tsx'

/** Page for an unknown address, inside or outside the shell. */
export const NotFound = () => (use(PanelContext) ? <Within /> : <Outside />)

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

/** Inside the shell. Pages exist in both modes or in neither, so the other mode is not offered here as in `Missing`. */
function Within() {
  const { modo, search } = usePanel()
  return (
    <Page title={t.common.notFound}>
      <div className="empty">
        <p>{t.common.notFoundHint}</p>
        <div className="row">
          <Link className="button primary" to="/$modo/inicio" params={{ modo }}>
            {t.common.home}
          </Link>
          <button type="button" className="button" onClick={search}>
            {t.palette.title}
          </button>
          {/* Details for reporting a broken link. */}
          <CopyButton
            text={`404 ${location.href} (${document.referrer || t.common.none})`}
            label={t.common.copyDetails}
          />
        </div>
      </div>
    </Page>
  )
}
