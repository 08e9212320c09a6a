import type { Conversation } from '../../data/api-types.ts'

/** The list with a conversation at the place of its last message. */
export function withConversation(items: Conversation[], one: Conversation): Conversation[] {
  const place = items.findIndex(
    ({ lastMessageAt }) => (lastMessageAt ?? '') < (one.lastMessageAt ?? ''),
  )
  return items.toSpliced(place < 0 ? items.length : place, 0, one)
}

/** The conversation to open when this one is done: the next in the list, or else the one before; itself if not listed. */
export function neighborOf(items: Conversation[], id: string): string | undefined {
  const at = items.findIndex((one) => one.id === id)
  return at < 0 ? id : (items[at + 1] ?? items[at - 1])?.id
}
