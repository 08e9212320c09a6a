import { Link } from '@tanstack/react-router'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { canDevelop, usePanel } from '../../shell/page.tsx'

/** Statuses in which the number must be paired, or is being paired. */
export const UNPAIRED: Instance['status'][] = ['CREATED', 'CONNECTING', 'QR', 'LOGGED_OUT']

/** Links to the pages of an instance. */
export function InstanceNav({ instance: { id, status } }: { instance: Instance }) {
  const { modo, me } = usePanel()
  const params = { modo, id }
  return (
    <nav className="page-tabs" aria-label={t.instances.pages}>
      <Link to="/$modo/instancias/$id" params={params} activeOptions={{ exact: true }}>
        {t.instances.overview}
      </Link>
      {UNPAIRED.includes(status) && canDevelop(me) && (
        <Link to="/$modo/instancias/$id/parear" params={params}>
          {t.instances.pair}
        </Link>
      )}
      <Link to="/$modo/instancias/$id/mensagens" params={params}>
        {t.messages.title}
      </Link>
    </nav>
  )
}
