import { Link, useLocation } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
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

/** The same within the shell: often it is there in the other mode. */
function Within() {
  const { modo } = usePlace()
  const { pathname } = useLocation()
  const other = modo === 'teste' ? 'producao' : 'teste'
  return (
    <Page title={t.common.notFound}>
      <div className="vazio">
        <p>{t.common.notFoundHint}</p>
        <div className="linha">
          <Link className="botao principal" to="/$modo/inicio" params={{ modo }}>
            {t.common.home}
          </Link>
          <Link className="botao" to={pathname.replace(`/${modo}/`, `/${other}/`)}>
            {t.common.lookIn(other === 'teste' ? t.nav.test : t.nav.production)}
          </Link>
        </div>
      </div>
    </Page>
  )
}
