import { hasPermission } from '../../../src/kernel/permissions.ts'
import { Link } from '@tanstack/react-router'
import { createContext, use, useEffect, type ReactNode } from 'react'
import type { Mode } from '../data/api.ts'
import type { Live, LiveState } from '../data/live.ts'
import { t } from '../phrases/phrases.ts'
import type { Me } from '../data/session.ts'
import { setPageTitle } from './page-title.ts'

/** What pages in the shell share: mode, user and live connection. `modo` is the mode as written in URLs. */
export type PanelContextValue = {
  mode: Mode
  modo: 'teste' | 'producao'
  me: Me
  live: Live | null
  liveState: LiveState
  /** Opens the command palette. */
  search: () => void
}
/** Provides them to pages; null outside the shell. */
export const PanelContext = createContext<PanelContextValue | null>(null)

/** Returns the mode, user and live connection of the page. Throws outside the shell. */
export function usePanel(): PanelContextValue {
  const place = use(PanelContext)
  if (!place) throw new Error('usePanel called outside the shell')
  return place
}

/** Whether the user may manage API resources such as keys and webhooks. */
export const canDevelop = ({ role }: Me): boolean => hasPermission(role, 'develop')

/** Link to the simulator phone, for users who may use it. */
export function PhoneLink() {
  const { me } = usePanel()
  return canDevelop(me) ? (
    <Link className="button" to="/$modo/telefone" params={{ modo: 'teste' }}>
      {t.nav.phone}
    </Link>
  ) : null
}

/** Page frame in the shell: title, which is also the window's, with text and actions. */
export function Page(props: {
  title: string
  text?: string | undefined
  act?: ReactNode
  /** The page fills the window and scrolls inside; its title is for screen readers. */
  framed?: boolean
  children: ReactNode
}) {
  const { title, text, act, framed = false, children } = props
  const { mode } = usePanel()
  useEffect(() => {
    setPageTitle(`${mode === 'test' ? `${t.test.tag} ` : ''}${title} · ${t.common.product}`)
  }, [title, mode])
  if (framed) {
    return (
      <div className="app-frame">
        <h1 className="visually-hidden">{title}</h1>
        {children}
      </div>
    )
  }
  return (
    <div className="stack">
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          {text && <p className="quiet">{text}</p>}
        </div>
        {act}
      </div>
      {children}
    </div>
  )
}
