import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useNavigate, useParams } from '@tanstack/react-router'
import {
  ChartColumn,
  CreditCard,
  House,
  Inbox,
  KeyRound,
  Languages,
  LogOut,
  Megaphone,
  MessagesSquare,
  Phone,
  Radio,
  ScrollText,
  Settings,
  Smartphone,
  Tag,
  Users,
  UsersRound,
  Webhook,
  Waypoints,
  type LucideIcon,
} from 'lucide-react'
import { createContext, use, useEffect, useState, type ReactNode } from 'react'
import type { Mode } from '../api.ts'
import { openLive, type Live, type LiveState } from '../live.ts'
import { chooseLanguage, language, t } from '../phrases/phrases.ts'
import { readCap, readMe, signOut, type Me } from '../session.ts'

type Place = { mode: Mode; modo: 'teste' | 'producao'; me: Me; live: Live | null }
const PlaceContext = createContext<Place | null>(null)

/** The mode, the person and the live connection of the page. */
export function usePlace(): Place {
  const place = use(PlaceContext)
  if (!place) throw new Error('outside of the shell')
  return place
}

const modeOf = (modo: string | undefined): Mode => (modo === 'producao' ? 'production' : 'test')

export function Shell() {
  const { modo = 'teste' } = useParams({ strict: false })
  const mode = modeOf(modo)
  const client = useQueryClient()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const me = useQuery({ queryKey: ['me'], queryFn: readMe })
  const [live, setLive] = useState<Live | null>(null)
  const [state, setState] = useState<LiveState>('connecting')
  const [open, setOpen] = useState(false)

  useEffect(() => {
    const made = openLive(mode, client, (code) => {
      const to = code === 'SESSION_SUPERSEDED' ? '/sessao-encerrada' : '/entrar'
      void navigate({ to })
    })
    const unwatch = made.watch(setState)
    setLive(made)
    return () => {
      unwatch()
      made.close()
    }
  }, [mode, client, navigate])
  useEffect(() => setOpen(false), [pathname])

  if (!me.data) return null
  const place: Place = { mode, modo: modo === 'producao' ? 'producao' : 'teste', me: me.data, live }
  const other = modo === 'teste' ? 'producao' : 'teste'
  return (
    <PlaceContext value={place}>
      <a className="pular" href="#conteudo">
        {t.common.skip}
      </a>
      <div className="casca">
        <header className="lado" data-open={open}>
          <div className="topo">
            <Link className="marca" to="/$modo/inicio" params={{ modo }}>
              <img src="/recado.svg" alt="" width={24} height={24} /> {t.common.product}
            </Link>
            <button
              type="button"
              className="botao so-estreito"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t.common.menu}
            </button>
          </div>
          <nav className="modo" aria-label={t.nav.mode}>
            {(['teste', 'producao'] as const).map((name) => (
              <Link
                key={name}
                to="/$modo/inicio"
                params={{ modo: name }}
                aria-current={name === other ? undefined : 'true'}
              >
                {name === 'teste' ? t.nav.test : t.nav.production}
              </Link>
            ))}
          </nav>
          <Navigation place={place} />
          <div>
            <button
              type="button"
              className="plano"
              onClick={() => chooseLanguage(language === 'en' ? 'pt-BR' : 'en')}
            >
              <Languages size={16} aria-hidden /> {t.nav.language}
            </button>
            <button
              type="button"
              className="plano"
              onClick={() => void signOut().finally(() => location.assign('/entrar'))}
            >
              <LogOut size={16} aria-hidden /> {t.nav.signOut}
            </button>
          </div>
        </header>
        <div>
          {mode === 'test' && <TestBanner />}
          <div role="status">
            {state === 'waiting' && <div className="aviso">{t.common.reconnecting}</div>}
          </div>
          <main id="conteudo" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
    </PlaceContext>
  )
}

const DEVELOPERS = ['Dono', 'Admin', 'Desenvolvedor']

function Navigation({ place: { modo, mode, me } }: { place: Place }) {
  const develops = DEVELOPERS.includes(me.role)
  return (
    <nav aria-label={t.common.menu}>
      <Item to="/$modo/inicio" modo={modo} icon={House} label={t.nav.home} />
      <h2>{t.nav.messaging}</h2>
      <Item to="/$modo/instancias" modo={modo} icon={Waypoints} label={t.nav.instances} />
      {me.role !== 'Financeiro' && (
        <>
          <Item
            to="/$modo/conversas"
            modo={modo}
            icon={MessagesSquare}
            label={t.nav.conversations}
          />
          <Item to="/$modo/grupos" modo={modo} icon={UsersRound} label={t.nav.groups} />
          <Item to="/$modo/etiquetas" modo={modo} icon={Tag} label={t.nav.labels} />
          <Item to="/$modo/chamadas" modo={modo} icon={Phone} label={t.nav.calls} />
        </>
      )}
      {develops && (
        <Item to="/$modo/campanhas" modo={modo} icon={Megaphone} label={t.nav.campaigns} />
      )}
      {develops && (
        <>
          <h2>{t.nav.developers}</h2>
          <Item to="/$modo/chaves" modo={modo} icon={KeyRound} label={t.nav.keys} />
          <Item to="/$modo/webhooks" modo={modo} icon={Webhook} label={t.nav.webhooks} />
          <Item to="/$modo/eventos" modo={modo} icon={Radio} label={t.nav.events} />
          {mode === 'test' && (
            <>
              <Item to="/$modo/telefone" modo={modo} icon={Smartphone} label={t.nav.phone} />
              <Item to="/$modo/caixa" modo={modo} icon={Inbox} label={t.nav.inbox} />
            </>
          )}
        </>
      )}
      <h2>{t.nav.account}</h2>
      <Item to="/$modo/uso" modo={modo} icon={ChartColumn} label={t.nav.usage} />
      <Item to="/$modo/plano" modo={modo} icon={CreditCard} label={t.nav.plan} />
      <Item to="/$modo/equipe" modo={modo} icon={Users} label={t.nav.team} />
      {(me.role === 'Dono' || me.role === 'Admin') && (
        <Item to="/$modo/auditoria" modo={modo} icon={ScrollText} label={t.nav.audit} />
      )}
      <Item to="/$modo/configuracoes" modo={modo} icon={Settings} label={t.nav.settings} />
    </nav>
  )
}

function Item(props: { to: string; modo: string; icon: LucideIcon; label: string }) {
  const { to, modo, icon: Icon, label } = props
  return (
    <Link to={to} params={{ modo }} activeProps={{ 'aria-current': 'page' }}>
      <Icon size={16} aria-hidden /> {label}
    </Link>
  )
}

function TestBanner() {
  const cap = useQuery({ queryKey: ['test', 'cap'], queryFn: readCap })
  return (
    <aside className="faixa" aria-label={t.nav.test}>
      <span>{t.test.banner}</span>
      {cap.data && (
        <span className="linha">
          <meter
            min={0}
            max={cap.data.limit}
            value={cap.data.used}
            aria-label={t.test.cap(cap.data.used, cap.data.limit)}
          />
          {t.test.cap(cap.data.used, cap.data.limit)}
        </span>
      )}
    </aside>
  )
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
