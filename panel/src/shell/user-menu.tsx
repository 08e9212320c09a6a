import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ChevronsUpDown, LogOut, MonitorSmartphone, Settings } from 'lucide-react'
import type { Me } from '../data/api-types.ts'
import { language, LANGUAGE_NAMES, t } from '../phrases/phrases.ts'
import { Avatar } from '../ui/avatar.tsx'
import { ActionMenu } from '../ui/menu.tsx'
import { readAppearance, setLanguage, setTheme, THEMES } from './appearance.ts'

/** The company and the signed-in user, with language, theme, sessions and sign-out. */
export function UserMenu(props: { me: Me; modo: string; onSignOut: () => void }) {
  const { me, modo, onSignOut } = props
  const client = useQueryClient()
  const navigate = useNavigate()
  const { theme } = readAppearance()
  const openSettings = (aba: string) =>
    void navigate({ to: '/$modo/configuracoes', params: { modo }, search: { aba } })
  return (
    <div className="sidebar-end">
      <ActionMenu
        side="top"
        trigger={
          <button type="button" className="user-button">
            <span className="visually-hidden">{t.shell.userMenu}: </span>
            <Avatar id={me.projectId} name={me.company} />
            <span className="user-names">
              <strong className="truncate">{me.company}</strong>
              <small className="truncate quiet">{me.email}</small>
            </span>
            <ChevronsUpDown size={16} aria-hidden />
          </button>
        }
        groups={[
          {
            title: `${me.email} · ${me.role}`,
            entries: [
              {
                label: t.nav.settings,
                icon: <Settings size={16} />,
                act: () => openSettings('empresa'),
              },
              {
                label: t.shell.sessions,
                icon: <MonitorSmartphone size={16} />,
                act: () => openSettings('seguranca'),
              },
            ],
          },
          {
            title: t.shell.theme,
            entries: THEMES.map((name) => ({
              label: t.settings[name],
              checked: theme === name,
              act: () => setTheme(client, name),
            })),
          },
          {
            title: t.shell.language,
            entries: LANGUAGE_NAMES.map(([code, name]) => ({
              label: name,
              checked: language === code,
              act: () => setLanguage(client, code),
            })),
          },
          {
            entries: [{ label: t.nav.signOut, icon: <LogOut size={16} />, act: onSignOut }],
          },
        ]}
      />
    </div>
  )
}
