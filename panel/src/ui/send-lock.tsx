import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { useSubscribed } from '../queries.ts'
import { usePanel } from './page.tsx'

const CAN_WRITE: Instance['status'][] = ['CONNECTED', 'DISCONNECTED']

/** Why an instance cannot send now, with a link to what unlocks it if there is one; null if it can. */
export function useSendLock({ status }: Instance): ReactNode {
  const { modo, me } = usePanel()
  const subscribed = useSubscribed()
  if (me.usageMode === 'API') return <p className="discreto">{t.messages.apiOnly}</p>
  if (!subscribed) {
    return (
      <p>
        <Link to="/$modo/plano" params={{ modo }}>
          {t.common.subscribe}
        </Link>
      </p>
    )
  }
  if (CAN_WRITE.includes(status)) return null
  return <p className="discreto">{t.conversations.locked(t.states[status])}</p>
}
