import { UserRound } from 'lucide-react'
import { useEffect, useState, type CSSProperties } from 'react'

const HUES = 12
/** A row that scrolls past faster than this loads no picture. */
const PAUSE_MS = 200
/** How long a URL without a picture is not requested again. */
const ABSENT_MS = 5 * 60_000
/** When addresses were last found to have no picture. */
const absentSince = new Map<string, number>()

/** The first letters of the first and the last word of a name; null for a number. */
function initialsOf(name: string): string | null {
  const initials = name.match(/(?<![\p{L}\p{M}])\p{L}\p{M}*/gu) ?? []
  const letters = [initials[0], initials.length > 1 ? initials.at(-1) : ''].join('')
  return letters ? letters.toLocaleUpperCase() : null
}

/**
 * The picture of a person or group, or the initials on a color of its own while there is none; decorative, since the
 * name is kept next to it.
 */
export function Avatar(props: {
  id: string
  name: string
  small?: boolean
  /** The address of the picture, which may have none. */
  picture?: string | null
  /** In a list: loads the picture only when the row stays in view, and remembers when there is none. */
  listed?: boolean
}) {
  const { id, name, small = false, picture = null, listed = false } = props
  let sum = 0
  // The number of a contact and the id of its chat get the same color.
  for (const letter of id.replace(/\D/g, '') || id)
    sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 997
  const style = { '--hue': (sum % HUES) * (360 / HUES) } as CSSProperties
  return (
    <span className="avatar" data-small={small} style={style} aria-hidden>
      {initialsOf(name) ?? <UserRound size={small ? 14 : 20} />}
      {picture !== null &&
        (listed ? (
          <ListedPhoto key={picture} src={picture} />
        ) : (
          <Photo key={picture} src={picture} />
        ))}
    </span>
  )
}

/** Covers the initials once it is loaded. */
function Photo({ src, onAbsent }: { src: string; onAbsent?: () => void }) {
  const [loaded, setLoaded] = useState(false)
  return <img src={src} alt="" hidden={!loaded} onLoad={() => setLoaded(true)} onError={onAbsent} />
}

function ListedPhoto({ src }: { src: string }) {
  const [wanted, setWanted] = useState(false)
  useEffect(() => {
    if (Date.now() - (absentSince.get(src) ?? -Infinity) < ABSENT_MS) return
    const timer = setTimeout(() => setWanted(true), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [src])
  if (!wanted) return null
  return (
    <Photo
      src={src}
      onAbsent={() => {
        absentSince.set(src, Date.now())
        setWanted(false)
      }}
    />
  )
}
