import { UserRound } from 'lucide-react'
import { useState, type CSSProperties } from 'react'

const HUES = 12

/** The first letters of the first and the last word of a name; null for a number. */
function initialsOf(name: string): string | null {
  const initials = name.match(/(?<![\p{L}\p{M}])\p{L}\p{M}*/gu) ?? []
  const letters = [initials[0], initials.length > 1 ? initials.at(-1) : ''].join('')
  return letters ? letters.toLocaleUpperCase() : null
}

/**
 * The picture of a person or group, or the initials on a color of its own while there is none; decorative, since the
 * name stands beside it.
 */
export function Avatar(props: {
  id: string
  name: string
  small?: boolean
  /** The address of the picture, which may have none. */
  picture?: string | null
}) {
  const { id, name, small = false, picture = null } = props
  let sum = 0
  // The number of a contact and the id of its chat get the same color.
  for (const letter of id.replace(/\D/g, '') || id)
    sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997
  const style = { '--hue': (sum % HUES) * (360 / HUES) } as CSSProperties
  return (
    <span className="avatar" data-small={small} style={style} aria-hidden>
      {initialsOf(name) ?? <UserRound size={small ? 14 : 20} />}
      {picture !== null && <Photo key={picture} src={picture} />}
    </span>
  )
}

/** Covers the initials once it is loaded. */
function Photo({ src }: { src: string }) {
  const [loaded, setLoaded] = useState(false)
  return <img src={src} alt="" hidden={!loaded} onLoad={() => setLoaded(true)} />
}
