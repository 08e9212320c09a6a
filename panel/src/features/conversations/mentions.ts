import { shortName } from '../../data/short-name.ts'
import { folded } from '../../ui/folded.ts'

/** A member of the team, as notes mention them. */
type Person = { id: string; email: string }

const MAX_OFFERED = 8
const HANDLE = /(?<![\p{L}\p{N}._+-])@[\p{L}\p{N}._+-]+(?:@[\p{L}\p{N}.-]*[\p{L}\p{N}])?/gu
/** An at sign that begins a word, and what has been typed of the name after it. */
const TYPED = /(?:^|\s)@(?<name>[\p{L}\p{N}._+@-]*)$/u

/** How a note mentions a member: by the name in their address, or the whole address if others have the same name. */
export function handleOf({ email }: Person, team: readonly Person[]): string {
  const alike = team.filter((other) => shortName(other.email) === shortName(email))
  return `@${alike.length > 1 ? email : shortName(email)}`
}

/** The members whom a note mentions. */
export function mentionsIn<P extends Person>(text: string, team: readonly P[]): P[] {
  // A full stop ends the sentence, not the name.
  const written = new Set((text.match(HANDLE) ?? []).map((handle) => handle.replace(/[.-]+$/, '')))
  return team.filter((person) => written.has(handleOf(person, team)))
}

/** The members who match the name that is being typed before the cursor; none if no mention is being typed. */
export function matchMention<P extends Person>(before: string, team: readonly P[]): P[] {
  const typed = TYPED.exec(before)?.groups?.['name']
  if (typed === undefined) return []
  return team.filter(({ email }) => folded(email).startsWith(folded(typed))).slice(0, MAX_OFFERED)
}

/** Completes the name that is being typed before the cursor. */
export const completeMention = (before: string, handle: string): string =>
  before.replace(/@[^\s]*$/u, `${handle} `)

/** The text of a note in parts, those that mention someone marked. */
export function partsOf(
  text: string,
  mentions: readonly { name: string | null }[],
): { text: string; isMention: boolean }[] {
  const names = new Set(
    mentions.flatMap(({ name }) => (name === null ? [] : [`@${name}`, `@${shortName(name)}`])),
  )
  const parts: { text: string; isMention: boolean }[] = []
  let end = 0
  for (const { index, 0: found } of text.matchAll(HANDLE)) {
    const handle = found.replace(/[.-]+$/, '')
    if (!names.has(handle)) continue
    parts.push({ text: text.slice(end, index), isMention: false })
    parts.push({ text: handle, isMention: true })
    end = index + handle.length
  }
  return [...parts, { text: text.slice(end), isMention: false }].filter((part) => part.text !== '')
}
