import { ChevronsUpDown } from 'lucide-react'
import type { ComponentProps } from 'react'
import type { Me } from '../data/api-types.ts'
import { t } from '../phrases/phrases.ts'
import { Avatar } from '../ui/avatar.tsx'

/** The button of the user menu, shown before its menu is loaded. */
export function UserButton({ me, ...button }: { me: Me } & ComponentProps<'button'>) {
  return (
    <button type="button" className="user-button" {...button}>
      <span className="visually-hidden">{t.shell.userMenu}: </span>
      <Avatar id={me.projectId} name={me.company} />
      <span className="user-names">
        <strong className="truncate">{me.company}</strong>
        <small className="truncate quiet">{me.name ?? me.email}</small>
      </span>
      <ChevronsUpDown size={16} aria-hidden />
    </button>
  )
}
