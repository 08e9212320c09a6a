import { Link } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
import { Page, usePlace } from './page.tsx'

function Closed({ title, text }: { title: string; text: string }) {
  const { modo } = usePlace()
  return (
    <Page title={title}>
      <div className="vazio" role="alert">
        <p>{text}</p>
        <Link className="botao" to="/$modo/plano" params={{ modo }}>
          {t.nav.plan}
        </Link>
      </div>
    </Page>
  )
}

/** What is shown instead of a page while the Project is suspended. */
export const Suspended = () => <Closed title={t.faults.suspended} text={t.faults.suspendedText} />

/** What stands in the place of a page that is not for somebody in this role: who can grant it. */
export function Forbidden() {
  const { modo, me } = usePlace()
  return (
    <Page title={t.faults.notForYou}>
      <div className="vazio" role="alert">
        <p>{t.faults.notForRole(me.role)}</p>
        <p className="discreto">{t.faults.forbidden}</p>
        <Link className="botao" to="/$modo/inicio" params={{ modo }}>
          {t.common.home}
        </Link>
      </div>
    </Page>
  )
}

/** What stands in the place of the developers' pages where the Project is for the panel alone. */
export const Locked = () => <Closed title={t.faults.locked} text={t.faults.crmOnly} />
