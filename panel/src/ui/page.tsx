import { hasPermission } from '../../../src/kernel/permissions.ts'
import { Link } from '@tanstack/react-router'
import { createContext, use, useEffect, type ReactNode } from 'react'
import type { Mode } from '../api.ts'
import type { Live, LiveState } from '../live.ts'
import { t } from '../phrases/phrases.ts'
import type { Me } from '../session.ts'

export type Place = {
  mode: Mode
  modo: 'teste' | 'producao'
  me: Me
  live: Live | null
  liveState: LiveState
  /** Opens the search of the panel. */
  search: () => void
}
export const PlaceContext = createContext<Place | null>(null)

/** The mode, the person and the live connection of the page. */
export function usePlace(): Place {
  const place = use(PlaceContext)
  if (!place) throw new Error('outside of the shell')
  return place
}

/** Who may make and change what the API works with. */
export const develops = ({ role }: Me): boolean => hasPermission(role, 'develop')

/** The way to the virtual telephone, for who may use it. */
export function PhoneLink() {
  const { me } = usePlace()
  return develops(me) ? (
    <Link className="botao" to="/$modo/telefone" params={{ modo: 'teste' }}>
      {t.nav.phone}
    </Link>
  ) : null
}

/** The title of a page, in the window too, with what can be done there. */
export function Page(props: {
  title: string
  text?: string | undefined
  act?: ReactNode
  children: ReactNode
}) {
  const { title, text, act, children } = props
  const { mode } = usePlace()
  useEffect(() => {
    document.title = `${mode === 'test' ? `${t.test.tag} ` : ''}${title} · ${t.common.product}`
  }, [title, mode])
  return (
    <div className="pilha">
      <div className="cabeca">
        <div>
          <h1>{title}</h1>
          {text && <p className="discreto">{text}</p>}
        </div>
        {act}
      </div>
      {children}
    </div>
  )
}
