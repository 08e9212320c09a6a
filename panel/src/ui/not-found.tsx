import { Link } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
import { CopyButton } from './copy-button.tsx'
import { Door } from './door.tsx'
import { use } from 'react'
import { Page, PlaceContext, usePlace } from './page.tsx'

/** An address that leads nowhere. */
export const NotFound = () => (use(PlaceContext) ? <Within /> : <Outside />)

function Outside() {
  return (
    <Door title={t.common.notFound}>
      <p>{t.common.notFoundHint}</p>
      <a className="botao" href="/">
        {t.common.home}
      </a>
    </Door>
  )
}

/** The same within the shell. A page is there in both modes or in none: what is in one is looked for by `Missing`. */
function Within() {
  const { modo, search } = usePlace()
  return (
    <Page title={t.common.notFound}>
      <div className="vazio">
        <p>{t.common.notFoundHint}</p>
        <div className="linha">
          <Link className="botao principal" to="/$modo/inicio" params={{ modo }}>
            {t.common.home}
          </Link>
          <button type="button" className="botao" onClick={search}>
            {t.palette.title}
          </button>
          {/* For whoever reports that a link leads nowhere. */}
          <CopyButton
            text={`404 ${location.href} (${document.referrer || t.common.none})`}
            label={t.common.copyDetails}
          />
        </div>
      </div>
    </Page>
  )
}
