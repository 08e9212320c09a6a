import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { useSubscribed } from '../../data/queries.ts'
import { usePanel } from '../../shell/page.tsx'

/** Whether the server accepts messages: a paired number that is connecting, as after a restart, sends them in seconds. */
export const canWrite = ({ status, phone }: Pick<Instance, 'status' | 'phone'>): boolean =>
  status === 'CONNECTED' || status === 'DISCONNECTED' || (status === 'CONNECTING' && phone !== null)

/** Why an instance cannot send now, with a link to what unlocks it if there is one; null if it can. */
export function useSendLock({ id, status, phone }: Instance): ReactNode {
  const { modo, me } = usePanel()
  const subscribed = useSubscribed()
  if (me.usageMode === 'API') return <p className="quiet">{t.messages.apiOnly}</p>
  if (!subscribed) {
    return (
      <p>
        <Link to="/$modo/plano" params={{ modo }}>
          {t.common.subscribe}
        </Link>
      </p>
    )
  }
  if (canWrite({ status, phone })) return null
  return (
    <p className="quiet">
      {t.lockedBecause[status]}{' '}
      <Link to="/$modo/instancias/$id" params={{ modo, id }}>
        {t.instances.open}
      </Link>
    </p>
  )
}
