import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'
import { t } from '../phrases/phrases.ts'
import { useInstances, useKeys, useWebhooks } from '../queries.ts'
import { Dialog } from './dialog.tsx'
import { sectionsFor } from './navigation.ts'
import { develops, usePlace } from './page.tsx'

type Found = { to: string; label: string; text: string }
const MOST = 12
const TABS_OF_SETTINGS = ['empresa', 'seguranca', 'aparencia', 'notificacoes'] as const

const folded = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** Where one can go: pages, and what the company has, by name, number, prefix or id. */
function usePlaces(): Found[] {
  const { mode, modo, me } = usePlace()
  const instances = useInstances(me.role !== 'Financeiro')
  const webhooks = useWebhooks()
  const keys = useKeys()
  return [
    ...sectionsFor({ mode, me }).flatMap(({ title, entries }) =>
      entries.map(({ path, label }) => ({ to: `/${modo}/${path}`, label, text: title ?? '' })),
    ),
    ...(develops(me)
      ? [
          { to: `/${modo}/webhooks/novo`, label: t.webhooks.create, text: t.palette.action },
          { to: `/${modo}/campanhas/nova`, label: t.campaigns.create, text: t.palette.action },
        ]
      : []),
    ...TABS_OF_SETTINGS.map((tab) => ({
      to: `/${modo}/configuracoes?aba=${tab}`,
      label: t.settings[`tab_${tab}`],
      text: t.settings.title,
    })),
    ...(instances.data?.items ?? []).map(({ id, name, phone }) => ({
      ...{ to: `/${modo}/instancias/${id}`, label: name, text: `${phone ?? ''} ${id}` },
    })),
    ...(webhooks.data?.items ?? []).map(({ id, name, url }) => ({
      ...{ to: `/${modo}/webhooks/${id}`, label: name, text: `${url} ${id}` },
    })),
    ...(keys.data?.items ?? []).map(({ name, keyPrefix, id }) => ({
      ...{ to: `/${modo}/chaves`, label: name, text: `${keyPrefix}… ${id}` },
    })),
  ]
}

/** Goes anywhere by what it is called: Ctrl K. */
export function Palette({ onClose }: { onClose: () => void }) {
  const id = useId()
  const navigate = useNavigate()
  const places = usePlaces()
  const [q, setQ] = useState('')
  const [at, setAt] = useState(0)
  const wanted = folded(q.trim())
  const found = places
    .filter(({ label, text }) => folded(`${label} ${text}`).includes(wanted))
    .slice(0, MOST)
  function go(address: string) {
    onClose()
    void navigate({ href: address })
  }
  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt(Math.min(Math.max(0, at + step), found.length - 1))
    }
    const chosen = found[at]
    if (event.key === 'Enter' && chosen) {
      event.preventDefault()
      go(chosen.to)
    }
  }
  return (
    <Dialog title={t.palette.title} onClose={onClose}>
      <input
        type="search"
        role="combobox"
        aria-label={t.palette.what}
        aria-expanded={found.length > 0}
        aria-controls={id}
        aria-activedescendant={found[at] ? `${id}-${at}` : undefined}
        placeholder={t.palette.what}
        value={q}
        onKeyDown={press}
        onChange={(event) => {
          setQ(event.target.value)
          setAt(0)
        }}
      />
      <ul className="achados" role="listbox" id={id} aria-label={t.palette.title}>
        {found.map(({ to, label, text }, index) => (
          // The keys are heard where they are typed: in the field above.
          <li
            key={`${to} ${label} ${text}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(to)}
          >
            <span>{label}</span> <small className="discreto corte">{text}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">{t.palette.nothing}</p>}
    </Dialog>
  )
}
