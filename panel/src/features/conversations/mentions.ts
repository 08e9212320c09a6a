import { memberName, shortName } from '../../data/member-name.ts'
import { folded } from '../../ui/folded.ts'

/** A member of the team, as notes mention them. */
type Person = { id: string; email: string; name: string | null }

const MAX_OFFERED = 8
/** An at sign that begins a word, and what has been typed of the name after it. */
const TYPED = /(?:^|\s)@(?<name>[\p{L}\p{N}._+@-]*)$/u
/** What belongs to a longer word or address, so that a handle next to it is not one. */
const BEFORE = /[\p{L}\p{N}._+-]$/u
const AFTER = /^(?:[\p{L}\p{N}_+@]|[.-][\p{L}\p{N}])/u

/** How a note mentions a member: by name, or by address if others have the same name. */
export function handleOf(person: Person, team: readonly Person[]): string {
  const name = memberName(person)
  const alike = team.filter((other) => memberName(other) === name)
  return `@${alike.length > 1 ? person.email : name}`
}

/** Where one of the handles stands in the text, in order; of several at one place, the longest. */
function findHandles(text: string, handles: readonly string[]): { at: number; handle: string }[] {
  const longestFirst = handles.toSorted((a, b) => b.length - a.length)
  const found: { at: number; handle: string }[] = []
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    if (BEFORE.test(text.slice(0, at))) continue
    const handle = longestFirst.find(
      (one) => text.startsWith(one, at) && !AFTER.test(text.slice(at + one.length)),
    )
    if (handle !== undefined) found.push({ at, handle })
  }
  return found
}

/** The members whom a note mentions. */
export function mentionsIn<P extends Person>(text: string, team: readonly P[]): P[] {
  const handles = team.map((person) => handleOf(person, team))
  const written = new Set(findHandles(text, handles).map(({ handle }) => handle))
  return team.filter((_, index) => written.has(handles[index] ?? ''))
}

/** The members who match the name that is being typed before the cursor; none if no mention is being typed. */
export function matchMention<P extends Person>(before: string, team: readonly P[]): P[] {
  const typed = TYPED.exec(before)?.groups?.['name']
  if (typed === undefined) return []
  const wanted = folded(typed)
  return team
    .filter(({ email, name }) =>
      [email, ...(name?.split(' ') ?? [])].some((word) => folded(word).startsWith(wanted)),
    )
    .slice(0, MAX_OFFERED)
}

/** Completes the name that is being typed before the cursor. */
export const completeMention = (before: string, handle: string): string =>
  before.replace(/@[^\s]*$/u, `${handle} `)

/** The text of a note in parts, those that mention someone marked. */
export function partsOf(
  text: string,
  mentions: readonly { name: string | null }[],
): { text: string; isMention: boolean }[] {
  const handles = mentions.flatMap(({ name }) =>
    name === null ? [] : [`@${name}`, `@${shortName(name)}`],
  )
  const parts: { text: string; isMention: boolean }[] = []
  let end = 0
  for (const { at, handle } of findHandles(text, handles)) {
    // An address that is a handle contains a second at sign.
    if (at < end) continue
    parts.push({ text: text.slice(end, at), isMention: false })
    parts.push({ text: handle, isMention: true })
    end = at + handle.length
  }
  return [...parts, { text: text.slice(end), isMention: false }].filter((part) => part.text !== '')
}
