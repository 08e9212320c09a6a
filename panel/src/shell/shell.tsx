import { lazyPart } from '../ui/lazy-part.tsx'
import { hasPermission } from '../../../src/kernel/permissions.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { Search, Smartphone } from 'lucide-react'
import { Suspense, useDeferredValue, useEffect, useRef, useState } from 'react'
import { ApiError, reportSessionEnd, type Mode } from '../data/api.ts'
import { useFirstData } from '../data/first-data.ts'
import { openLive, type Live, type LiveState } from '../data/live.ts'
import { t } from '../phrases/phrases.ts'
import { readCap, readMe, signOut } from '../data/session.ts'
import { applyAppearance } from './appearance.ts'
import { isOn } from './desktop-alerts.ts'
import { isForbidden } from './navigation.ts'
import { canDevelop, PanelContext, type PanelContextValue } from './page.tsx'
import { Forbidden, Locked, Suspended } from './suspended.tsx'
import { Reconnecting } from '../ui/load.tsx'
import { notifyFailure } from '../ui/notify.ts'
import { absolute } from '../ui/time.tsx'
import { UserButton } from './user-button.tsx'
import { Navigation, Bar } from './menu.tsx'

// These come after the page, which does not wait for the parts of menus.
const UserMenu = lazyPart(async () => (await import('./user-menu.tsx')).UserMenu, { isQuiet: true })
const Toasts = lazyPart(async () => (await import('../ui/toasts.tsx')).Toasts, { isQuiet: true })
const Bell = lazyPart(async () => (await import('./bell.tsx')).Bell, { isQuiet: true })
const PhoneSheet = lazyPart(
  async () => (await import('../features/phone/phone-sheet.tsx')).PhoneSheet,
)
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette)
const Shortcuts = lazyPart(async () => (await import('./shortcuts.tsx')).Shortcuts)
/** Production pages that are locked in a Project limited to the panel (usage mode CRM). */
const DEVELOPER_PATHS = /^\/producao\/(chaves|webhooks|eventos|requisicoes)/
const UNLOCKED_PATHS = /\/(plano|configuracoes)$/
/** Share of the daily limit from which it is shown as nearly reached. */
const NEAR_LIMIT_SHARE = 0.8

const modeOf = (modo: string | undefined): Mode => (modo === 'producao' ? 'production' : 'test')

/** Signs out. If this fails, the session is still open: the page stays and says so. */
async function handleSignOut(): Promise<void> {
  try {
    await signOut()
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 401)) {
      notifyFailure(error instanceof Error ? error.message : String(error))
      return
    }
  }
  location.assign('/entrar')
}

/** Pages that only the test mode has. */
const TEST_PAGES = new Set(['telefone', 'caixa'])
/** The same page in another mode, without the object that it shows, which exists in one mode only. */
function pathInMode(pathname: string, modo: 'teste' | 'producao'): string {
  const [, , page = 'inicio'] = pathname.split('/')
  return `/${modo}/${modo === 'producao' && TEST_PAGES.has(page) ? 'inicio' : page}`
}

/** Opens the tab's live connection and tracks its state. */
function useLive(
  mode: Mode,
  /** Whether this user receives any live events. */
  heard: boolean,
): { live: Live | null; liveState: LiveState } {
  const client = useQueryClient()
  const [live, setLive] = useState<Live | null>(null)
  const [liveState, setState] = useState<LiveState>('connecting')
  useEffect(() => {
    if (!heard) return
    const made = openLive(mode, client, reportSessionEnd, () => isOn('notify') || isOn('sound'))
    const unwatch = made.subscribeState(setState)
    setLive(made)
    return () => {
      unwatch()
      made.close()
    }
  }, [mode, client, heard])
  return { live, liveState: heard ? liveState : 'open' }
}

/** The overlay that is open: the palette (Ctrl K or ⌘ K) or the list of shortcuts (`?`). */
function useOverlay() {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | null>(null)
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const command = event.ctrlKey || event.metaKey
      const palette = event.key.toLowerCase() === 'k' && command
      const writes =
        event.target instanceof Element && event.target.closest('input, textarea, select')
      if (!palette && (event.key !== '?' || command || writes)) return
      event.preventDefault()
      // Do not replace an open dialog: it may show a secret that is shown once.
      if (!document.querySelector('dialog[open]')) setOpen(palette ? 'palette' : 'shortcuts')
    }
    addEventListener('keydown', handleKeyDown)
    return () => removeEventListener('keydown', handleKeyDown)
  }, [])
  return { open, setOpen }
}

/** On narrow screens the menu opens as a sheet: it takes the focus, and Escape closes it and returns the focus. */
function useMenuSheet(open: boolean, close: () => void) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!open) return
    const opener = document.activeElement
    frame.current?.querySelector<HTMLElement>('nav a')?.focus()
    function handleKeyDown({ key }: KeyboardEvent) {
      if (key !== 'Escape' || document.querySelector('dialog[open]')) return
      close()
      if (opener instanceof HTMLElement) opener.focus()
    }
    addEventListener('keydown', handleKeyDown)
    return () => removeEventListener('keydown', handleKeyDown)
  }, [open])
  return frame
}

/** The frame of all pages after sign-in: navigation, live connection, overlays, and what locks a page. */
export function Shell() {
  const { modo = 'teste' } = useParams({ strict: false })
  const mode = modeOf(modo)
  const { pathname } = useLocation()
  const me = useQuery({ queryKey: ['me'], queryFn: readMe })
  const enabled = me.data?.projectStatus === 'ACTIVE' && hasPermission(me.data.role, 'attend')
  const { live, liveState } = useLive(mode, enabled)
  const [open, setOpen] = useState(false)
  const overlay = useOverlay()
  // The parts of menus would slow the page down on a phone.
  const hasData = useFirstData()
  const user = me.data?.id
  const shown = useRef(user)
  useEffect(() => {
    // At the end of the session, the way back is kept.
    if (user === undefined) return
    // Another tab has signed in to another account: what this one shows is not theirs.
    if (shown.current !== undefined && user !== shown.current) location.assign('/')
    shown.current = user
  }, [user])
  const liked = me.data?.appearance
  useEffect(() => {
    if (liked) applyAppearance(liked)
  }, [liked])
  useEffect(() => setOpen(false), [pathname])
  const menu = useMenuSheet(open, () => setOpen(false))
  if (!me.data) return null

  const place: PanelContextValue = {
    mode,
    me: me.data,
    live,
    liveState,
    search: () => overlay.setOpen('palette'),
    modo: modo === 'producao' ? 'producao' : 'teste',
  }
  const suspended = me.data.projectStatus === 'SUSPENDED' && !UNLOCKED_PATHS.test(pathname)
  const forbidden = isForbidden(place, pathname)
  const locked = me.data.usageMode === 'CRM' && DEVELOPER_PATHS.test(pathname)
  return (
    <PanelContext value={place}>
      <a className="skip-link" href="#conteudo">
        {t.common.skip}
      </a>
      <div className="shell">
        <header className="sidebar" data-open={open} ref={menu}>
          <div className="sidebar-top">
            <div className="brand-line">
              <Link className="brand" to="/$modo/inicio" params={{ modo }}>
                <img src="/recado.svg" alt="" width={24} height={24} /> {t.common.product}
              </Link>
              {enabled && hasData && (
                <Suspense>
                  <Bell />
                </Suspense>
              )}
            </div>
            <button
              type="button"
              className="button search-button"
              onClick={() => overlay.setOpen('palette')}
            >
              <Search size={16} aria-hidden />
              <span className="search-label" aria-hidden>
                {t.shell.search}
              </span>
              <span className="visually-hidden">{t.palette.title}</span>
              <kbd aria-hidden>Ctrl K</kbd>
            </button>
          </div>
          <nav className="mode-switch" aria-label={t.nav.mode}>
            {(['teste', 'producao'] as const).map((name) => (
              <Link
                key={name}
                to={pathInMode(pathname, name)}
                aria-current={name === place.modo ? 'true' : undefined}
              >
                {name === 'teste' ? t.nav.test : t.nav.production}
              </Link>
            ))}
          </nav>
          <Navigation place={place} pathname={pathname} />
          <div className="sidebar-end">
            <Suspense fallback={<UserButton me={me.data} disabled />}>
              {hasData ? (
                <UserMenu me={me.data} modo={place.modo} onSignOut={() => void handleSignOut()} />
              ) : (
                <UserButton me={me.data} disabled />
              )}
            </Suspense>
          </div>
        </header>
        <div className="content">
          {mode === 'test' && (
            <TestBanner hasPhone={canDevelop(me.data) && !pathname.endsWith('/telefone')} />
          )}
          <div role="status">
            {liveState === 'waiting' && <div className="notice">{t.common.reconnecting}</div>}
          </div>
          <main id="conteudo" tabIndex={-1}>
            {suspended ? (
              <Suspended />
            ) : locked ? (
              <Locked />
            ) : forbidden ? (
              <Forbidden />
            ) : (
              <Reconnecting value={liveState === 'waiting'}>
                {/* What a page shows of one mode must not stay when it shows the other. */}
                <Outlet key={mode} />
              </Reconnecting>
            )}
          </main>
        </div>
        <Bar place={place} pathname={pathname} open={open} onMenu={() => setOpen(!open)} />
      </div>
      <Suspense>{hasData && <Toasts />}</Suspense>
      <Suspense>
        {overlay.open === 'palette' && (
          <Palette onClose={() => overlay.setOpen(null)} onSignOut={() => void handleSignOut()} />
        )}
        {overlay.open === 'shortcuts' && <Shortcuts onClose={() => overlay.setOpen(null)} />}
      </Suspense>
    </PanelContext>
  )
}

function TestBanner({ hasPhone }: { hasPhone: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const cap = useQuery({ queryKey: ['test', 'cap'], queryFn: readCap })
  const { used = 0, limit = 100 } = cap.data ?? {}
  // The first date that a phone formats takes it 60 ms: after the page.
  const resetsAt = useDeferredValue(cap.data?.resetsAt)
  return (
    <aside className="test-banner" aria-label={t.nav.test}>
      <span>{t.test.banner}</span>
      {/* Reserves its space before the numbers arrive. */}
      <span
        className="row"
        style={cap.data ? {} : { visibility: 'hidden' }}
        title={resetsAt && t.test.resets(absolute(resetsAt))}
      >
        <meter
          min={0}
          max={limit}
          high={limit * NEAR_LIMIT_SHARE}
          optimum={0}
          value={used}
          aria-label={t.test.cap(used, limit)}
        />
        {t.test.cap(used, limit)}
      </span>
      {hasPhone && (
        <button type="button" className="banner-button wide-only" onClick={() => setIsOpen(true)}>
          <Smartphone size={14} aria-hidden /> {t.phone.openBeside}
        </button>
      )}
      <Suspense>{hasPhone && isOpen && <PhoneSheet onClose={() => setIsOpen(false)} />}</Suspense>
    </aside>
  )
}
