import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut, MonitorSmartphone, Settings } from 'lucide-react'
import type { Me } from '../data/api-types.ts'
import { language, LANGUAGE_NAMES, t } from '../phrases/phrases.ts'
import { ActionMenu } from '../ui/menu.tsx'
import { UserButton } from './user-button.tsx'
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
    <ActionMenu
      side="top"
      trigger={<UserButton me={me} />}
      groups={[
        {
          title: `${me.email} · ${t.team[`role${me.role}`]}`,
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
  )
}
