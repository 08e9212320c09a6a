import { folded } from '../../ui/folded.ts'

/** Characters of a text before the first hit that are shown. */
const CONTEXT = 24

const fold = (text: string) =>
  // One character at a time, so that positions in the folded text are those of the original.
  Array.from(text, (char) => {
    const plain = folded(char)
    return plain.length === char.length ? plain : char
  }).join('')

/** A text around the first of these words, in parts: what was searched for, and the rest. Accents and case do not matter. */
export function markWords(text: string, query: string): { text: string; found: boolean }[] {
  const plain = fold(text)
  const words = fold(query)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const at = words.flatMap((word) => {
    const places: [start: number, end: number][] = []
    for (let from = plain.indexOf(word); from >= 0; from = plain.indexOf(word, from + word.length))
      places.push([from, from + word.length])
    return places
  })
  const places = at.toSorted(([a], [b]) => a - b)
  const first = places[0]?.[0] ?? 0
  const cut = Math.max(0, first - CONTEXT)
  const space = text.indexOf(' ', cut)
  const start = cut === 0 ? 0 : space >= 0 && space < first ? space + 1 : cut
  const parts: { text: string; found: boolean }[] = []
  let done = start
  if (start > 0) parts.push({ text: '… ', found: false })
  for (const [from, to] of places) {
    if (from < done) continue
    if (from > done) parts.push({ text: text.slice(done, from), found: false })
    parts.push({ text: text.slice(from, to), found: true })
    done = to
  }
  if (done < text.length) parts.push({ text: text.slice(done), found: false })
  return parts
}
