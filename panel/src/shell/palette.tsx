import { hasPermission } from '../../../src/kernel/permissions.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useId, useState, type KeyboardEvent } from 'react'
import { language, LANGUAGE_NAMES, t } from '../phrases/phrases.ts'
import { callApi } from '../data/api.ts'
import { nameOf, titleOf } from '../data/chats.ts'
import { useMessageHits } from '../data/message-hits.ts'
import { useInstances, useKeys, useWebhooks } from '../data/queries.ts'
import { folded } from '../ui/folded.ts'
import { formatPhone, searchTextOf } from '../ui/phone-number.ts'
import { plainText } from '../ui/rich-text.tsx'
import { readAppearance, setLanguage, setTheme } from './appearance.ts'
import { Dialog } from '../ui/dialog.tsx'
import { sectionsFor, withInner } from './navigation.ts'
import { canDevelop, usePanel } from './page.tsx'

/** A page to open, or an action to run at once. */
type PaletteItem = { to: string; label: string; text: string; act?: () => void }
const MAX_RESULTS = 12
/** The newest campaigns, which are found by name. */
const MAX_CAMPAIGNS = 100
/** Maximum number of people, and of messages, that are shown. */
const MAX_FOUND = 6
const MIN_LENGTH = 2
const PAUSE_MS = 200
const TABS_OF_SETTINGS = ['empresa', 'seguranca', 'aparencia', 'notificacoes'] as const

/** Everything the palette finds: pages, actions, and resources by name, number, prefix or id. */
function usePaletteItems(onSignOut: () => void): PaletteItem[] {
  const { mode, modo, me } = usePanel()
  const client = useQueryClient()
  const other = modo === 'teste' ? 'producao' : 'teste'
  const dark = readAppearance().theme === 'escuro'
  const action = (label: string, to: string): PaletteItem => ({ to, label, text: t.palette.action })
  const doing = (label: string, act: () => void): PaletteItem => ({ ...action(label, ''), act })
  const instances = useInstances(hasPermission(me.role, 'attend'))
  const webhooks = useWebhooks()
  const keys = useKeys()
  const campaigns = useQuery({
    queryKey: [mode, 'campaigns', 'names'],
    queryFn: () => callApi(mode, 'GET /v1/campaigns', { query: { limit: MAX_CAMPAIGNS } }),
    enabled: canDevelop(me),
  })
  const writer = instances.data?.items.find(({ status }) => status === 'CONNECTED')
  return [
    ...sectionsFor({ mode, me }).flatMap(({ title, entries }) =>
      entries.flatMap((entry) =>
        withInner(entry)
          .filter(({ label }) => label !== t.nav.account)
          .map(({ path, label }) => ({ to: `/${modo}/${path}`, label, text: title ?? '' })),
      ),
    ),
    ...(canDevelop(me)
      ? [
          action(t.instances.create, `/${modo}/instancias?nova=sim`),
          action(t.keys.create, `/${modo}/chaves?nova=sim`),
          action(t.webhooks.create, `/${modo}/webhooks/novo`),
          action(t.campaigns.create, `/${modo}/campanhas/nova`),
        ]
      : []),
    ...(writer ? [action(t.palette.write, `/${modo}/instancias/${writer.id}/mensagens`)] : []),
    ...(hasPermission(me.role, 'manageMembers')
      ? [action(t.team.invite, `/${modo}/equipe?nova=sim`)]
      : []),
    action(
      t.palette.toOther(other === 'teste' ? t.nav.test : t.nav.production),
      `/${other}/inicio`,
    ),
    doing(t.palette.theme(dark ? t.settings.claro : t.settings.escuro), () =>
      setTheme(client, dark ? 'claro' : 'escuro'),
    ),
    ...LANGUAGE_NAMES.filter(([code]) => code !== language).map(([code, name]) =>
      doing(name, () => setLanguage(client, code)),
    ),
    doing(t.nav.signOut, onSignOut),
    ...TABS_OF_SETTINGS.map((tab) => ({
      to: `/${modo}/configuracoes?aba=${tab}`,
      label: t.settings[`tab_${tab}`],
      text: t.settings.title,
    })),
    ...(instances.data?.items ?? []).map(({ id, name, phone }) => ({
      to: `/${modo}/instancias/${id}`,
      label: name,
      text: `${phone ?? ''} ${id}`,
    })),
    ...(campaigns.data?.items ?? []).map(({ id, name, status }) => ({
      to: `/${modo}/campanhas/${id}`,
      label: name,
      text: `${t.campaigns.title}: ${t.campaigns[status]}`,
    })),
    ...(webhooks.data?.items ?? []).map(({ id, name, url }) => ({
      to: `/${modo}/webhooks/${id}`,
      label: name,
      text: `${url} ${id}`,
    })),
    ...(keys.data?.items ?? []).map(({ name, keyPrefix, id }) => ({
      to: `/${modo}/chaves`,
      label: name,
      text: `${keyPrefix}… ${id}`,
    })),
  ]
}

/** People and messages that match what was typed, once typing pauses. */
function useFoundInInbox(words: string): PaletteItem[] {
  const { mode, modo, me } = usePanel()
  const attends = hasPermission(me.role, 'attend')
  const [q, setQ] = useState('')
  useEffect(() => {
    const timer = window.setTimeout(() => setQ(words), PAUSE_MS)
    return () => window.clearTimeout(timer)
  }, [words])
  const instances = useInstances(attends).data?.items ?? []
  const isAsked = attends && q.length >= MIN_LENGTH
  const people = useQuery({
    queryKey: [mode, 'hits', 'people', q],
    queryFn: () =>
      callApi(mode, 'GET /v1/conversations', { query: { q: searchTextOf(q), limit: MAX_FOUND } }),
    enabled: isAsked,
  })
  const { hits } = useMessageHits(mode, isAsked ? instances : [], q)
  if (!isAsked || q !== words) return []
  const to = (conversation: string, message?: string) =>
    `/${modo}/conversas?${new URLSearchParams({ conversa: conversation, ...(message ? { mensagem: message } : {}) }).toString()}`
  return [
    ...(people.data?.items ?? []).map((one) => ({
      to: to(one.id),
      label: nameOf(one),
      text: one.contact?.phone ? formatPhone(one.contact.phone) : t.conversations.title,
    })),
    ...hits.slice(0, MAX_FOUND).map(({ id, conversationId, chat, text }) => ({
      to: to(conversationId, id),
      label: plainText(text ?? ''),
      text: titleOf(chat),
    })),
  ]
}

/** Command palette (Ctrl K): finds pages, actions, resources, people and messages. */
export function Palette(props: { onClose: () => void; onSignOut: () => void }) {
  const { onClose, onSignOut } = props
  const id = useId()
  const navigate = useNavigate()
  const places = usePaletteItems(onSignOut)
  const [q, setQ] = useState('')
  const [at, setAt] = useState(0)
  const wanted = folded(q.trim())
  const inInbox = useFoundInInbox(q.trim())
  const found = [
    ...places
      .filter(({ label, text }) => folded(`${label} ${text}`).includes(wanted))
      .slice(0, MAX_RESULTS),
    ...inInbox,
  ]
  useEffect(() => {
    document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, at])
  function go({ to, act }: PaletteItem) {
    onClose()
    if (act) act()
    else void navigate({ href: to })
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
      go(chosen)
    }
  }
  return (
    <Dialog isLight title={t.palette.title} onClose={onClose}>
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
      <ul className="results" role="listbox" id={id} aria-label={t.palette.title}>
        {found.map((place, index) => (
          // Keyboard input is handled by the field above.
          <li
            key={`${place.to} ${place.label} ${place.text}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => go(place)}
          >
            <span className="truncate">{place.label}</span>{' '}
            <small className="quiet truncate">{place.text}</small>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p role="status">{t.palette.nothing}</p>}
    </Dialog>
  )
}
