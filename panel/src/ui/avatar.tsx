import { UserRound } from 'lucide-react'
import type { CSSProperties } from 'react'

const HUES = 12

/** The first letters of the first and the last word of a name; null for a number. */
function initialsOf(name: string): string | null {
  const initials = name.match(/(?<![\p{L}\p{M}])\p{L}\p{M}*/gu) ?? []
  const letters = [initials[0], initials.length > 1 ? initials.at(-1) : ''].join('')
  return letters ? letters.toLocaleUpperCase() : null
}

/** The initials of a person or group on a color of its own; decorative, since the name stands beside it. */
export function Avatar(props: { id: string; name: string; small?: boolean }) {
  const { id, name, small = false } = props
  let sum = 0
  // The number of a contact and the id of its chat get the same color.
  for (const letter of id.replace(/\D/g, '') || id)
    sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997
  const style = { '--hue': (sum % HUES) * (360 / HUES) } as CSSProperties
  return (
    <span className="avatar" data-small={small} style={style} aria-hidden>
      {initialsOf(name) ?? <UserRound size={small ? 14 : 20} />}
    </span>
  )
}
