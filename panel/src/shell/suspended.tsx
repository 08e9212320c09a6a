import { Link } from '@tanstack/react-router'
import { t } from '../phrases/phrases.ts'
import { Page, usePanel } from './page.tsx'

function Closed({ title, text }: { title: string; text: string }) {
  const { modo } = usePanel()
  return (
    <Page title={title}>
      <div className="empty" role="alert">
        <p>{text}</p>
        <Link className="button" to="/$modo/plano" params={{ modo }}>
          {t.nav.plan}
        </Link>
      </div>
    </Page>
  )
}

/** Shown instead of a page while the Project is suspended. */
export const Suspended = () => <Closed title={t.faults.suspended} text={t.faults.suspendedText} />

/** Shown instead of a page that the user's role may not open, with who can grant access. */
export function Forbidden() {
  const { modo, me } = usePanel()
  return (
    <Page title={t.faults.notForYou}>
      <div className="empty" role="alert">
        <p>{t.faults.notForRole(me.role)}</p>
        <p className="quiet">{t.faults.forbidden}</p>
        <Link className="button" to="/$modo/inicio" params={{ modo }}>
          {t.common.home}
        </Link>
      </div>
    </Page>
  )
}

/** Shown instead of the developer pages while the Project is limited to the panel. */
export const Locked = () => <Closed title={t.faults.locked} text={t.faults.crmOnly} />
