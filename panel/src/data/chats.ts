import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query'
import { t } from '../phrases/phrases.ts'
import { formatPhone } from '../ui/phone-number.ts'
import type { Chat, Conversation, ConversationList } from './api-types.ts'

/** The display name of a chat: its own, a phone number, or where the account publishes. */
export function titleOf({ id, type, name }: Chat): string {
  const [user = ''] = id.split('@')
  if (name !== null) return name
  if (type === 'status') return t.conversations.status
  return type === 'channel' ? t.conversations.channel(user) : formatPhone(user)
}

/** The display name of a conversation. */
export const nameOf = ({ chat, contact }: Pick<Conversation, 'chat' | 'contact'>): string =>
  chat.name ?? contact?.name ?? (contact?.phone ? formatPhone(contact.phone) : titleOf(chat))

/** A sender as the preview of a group names them: by the first word of the name. */
export const senderOf = ({
  name,
  phone,
  lid,
}: NonNullable<Conversation['lastMessageFrom']>): string =>
  name?.split(' ')[0] ?? (phone ? formatPhone(phone) : (lid ?? ''))

type Pages = InfiniteData<ConversationList>

/**
 * Merges the newest conversations (`head`) into the cached pages of a long list. A cached conversation that is as new
 * as the head but missing from it is dropped: it no longer matches the filters, e.g. because it was read or archived.
 */
export function mergeHead(client: QueryClient, key: QueryKey, head: ConversationList): void {
  client.setQueryData<Pages>(key, (old) => {
    const [first, ...others] = old?.pages ?? []
    if (!old || !first) return old
    const known = new Set(head.items.map(({ id }) => id))
    const oldest = head.hasMore ? (head.items.at(-1)?.lastMessageAt ?? '') : ''
    const stays = ({ id, lastMessageAt }: Conversation) =>
      !known.has(id) && head.hasMore && (lastMessageAt ?? '') <= oldest
    const pages = [
      { ...first, items: [...head.items, ...first.items.filter(stays)] },
      ...others.map((page) => ({ ...page, items: page.items.filter(stays) })),
    ]
    return { ...old, pages }
  })
}

/** Applies a change to one conversation in every cached list. */
export function patchConversation(
  client: QueryClient,
  id: string,
  change: Partial<Conversation>,
): void {
  const patch = (one: Conversation) => (one.id === id ? { ...one, ...change } : one)
  const ofChats = { predicate: ({ queryKey }: { queryKey: QueryKey }) => queryKey[1] === 'chats' }
  client.setQueriesData<Pages>(
    ofChats,
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({ ...page, items: page.items.map(patch) })),
      },
  )
}
