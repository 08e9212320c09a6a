import { useRouter } from '@tanstack/react-router'
import { Menu } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { t } from '../phrases/phrases.ts'
import { sectionsFor, type Entry } from './navigation.ts'
import { type PanelContextValue } from './page.tsx'

/** The pages of the bottom bar. */
const BAR_PATHS = ['inicio', 'conversas', 'instancias', 'webhooks']

/** The menu beside every page: its sections, with what the role can use. */
export function Navigation({ place, pathname }: { place: PanelContextValue; pathname: string }) {
  const frame = useRef<HTMLElement>(null)
  // In a low window the navigation scrolls by itself.
  useEffect(() => {
    frame.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <nav ref={frame} className="nav-main" aria-label={t.common.menu}>
      {sectionsFor(place).map(({ title, entries }) => (
        <div key={title} className="nav-section">
          {title && <h2>{title}</h2>}
          {entries.map((entry) => (
            <Group key={entry.label} modo={place.modo} entry={entry} pathname={pathname} />
          ))}
        </div>
      ))}
    </nav>
  )
}

/** A link with the links within it, which are shown while one of them is open. */
function Group({ modo, entry, pathname }: { modo: string; entry: Entry; pathname: string }) {
  const { within = [], path } = entry
  const page = pathname.split('/')[2]
  const open = page === path || within.some((inner) => inner.path === page)
  // A link that only opens the first page within it is never the current page itself.
  const isParent = within.some((inner) => inner.path === path)
  return (
    <>
      <Item modo={modo} entry={entry} pathname={isParent ? '' : pathname} />
      {open && within.length > 0 && (
        <div className="nav-within">
          {within.map((inner) => (
            <Item key={inner.path} modo={modo} entry={inner} pathname={pathname} />
          ))}
        </div>
      )}
    </>
  )
}

/** A link of the menu, as a plain anchor: the router's own links would each subscribe to every navigation. */
function Item({ modo, entry, pathname }: { modo: string; entry: Entry; pathname: string }) {
  const { path, icon: Icon, label } = entry
  const router = useRouter()
  const to = `/${modo}/${path}`
  const here = pathname === to || pathname.startsWith(`${to}/`)
  return (
    <a
      href={to}
      aria-current={here ? 'page' : undefined}
      onPointerEnter={() => void router.preloadRoute({ to })}
      onClick={(event) => {
        const elsewhere = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey
        if (elsewhere || event.button !== 0) return
        event.preventDefault()
        void router.navigate({ to })
      }}
    >
      <Icon size={16} aria-hidden /> <span>{label}</span>
    </a>
  )
}

/** Bottom bar on phones: the main pages, and a button for the full menu. */
export function Bar(props: {
  place: PanelContextValue
  pathname: string
  open: boolean
  onMenu: () => void
}) {
  const { place, pathname, open, onMenu } = props
  const entries = sectionsFor(place)
    .flatMap((section) => section.entries)
    .filter(({ path }) => BAR_PATHS.includes(path))
  return (
    <nav className="tab-bar" aria-label={t.nav.bar}>
      {entries.map((entry) => (
        <Item key={entry.path} modo={place.modo} entry={entry} pathname={pathname} />
      ))}
      <button type="button" aria-expanded={open} onClick={onMenu}>
        <Menu size={16} aria-hidden /> <span>{t.common.menu}</span>
      </button>
    </nav>
  )
}
