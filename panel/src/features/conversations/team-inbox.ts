import { useQuery } from '@tanstack/react-query'
import { callApi, type Mode } from '../../data/api.ts'
import type { Conversation, Instance, PublicMember, QuickReply } from '../../data/api-types.ts'
import { folded } from '../../ui/folded.ts'
import { usePanel } from '../../shell/page.tsx'
import { hasPermission } from '../../../../src/kernel/permissions.ts'

const PAGE = 200

/** The value of `assigneeId` for no assignee. */
export const UNASSIGNED = 'none'

/** The people of the account; null until they are loaded. */
export function useMembers(): PublicMember[] | null {
  const { mode } = usePanel()
  const { data } = useQuery({
    queryKey: ['members', mode],
    queryFn: () => callApi(mode, 'GET /v1/members'),
  })
  return data?.items ?? null
}

/** The people of the account who may answer conversations. */
export function useColleagues(): PublicMember[] {
  return (useMembers() ?? []).filter(({ role }) => hasPermission(role, 'attend'))
}

/** The newest notes on a conversation, newest first. */
export function useNotes(instance: Instance, conversation: Conversation) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'notes', instance.id, conversation.id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/conversations/{conversationId}/notes', {
        params: [instance.id, conversation.id],
        query: { limit: PAGE },
      }),
  })
}

/** The newest calls of a conversation's contact, newest first; a group has none. */
export function useCalls(instance: Instance, conversation: Conversation) {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'calls', instance.id, conversation.id],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/calls', {
        params: [instance.id],
        query: { conversationId: conversation.id, limit: PAGE },
      }),
    enabled: conversation.contact !== null,
  })
}

/** The quick replies of the mode, by shortcut; at most 500 exist. */
export function useQuickReplies() {
  const { mode } = usePanel()
  return useQuery({
    queryKey: [mode, 'quick-replies'],
    async queryFn() {
      const items: QuickReply[] = []
      for (;;) {
        const page = await callApi(mode, 'GET /v1/quick-replies', {
          query: { limit: PAGE, offset: items.length },
        })
        items.push(...page.items)
        if (!page.hasMore) return { items }
      }
    },
  })
}

/** The quick replies that a draft asks for: a slash, and the beginning of a shortcut or words of the text. */
export function matchQuickReplies<Reply extends { shortcut: string; text: string }>(
  replies: readonly Reply[],
  draft: string,
): Reply[] {
  const [, typed] = /^\/([^\n]{0,40})$/.exec(draft) ?? []
  if (typed === undefined) return []
  const wanted = folded(typed.trim())
  const starts = replies.filter(({ shortcut }) => folded(shortcut).startsWith(wanted))
  const others = replies.filter(
    (reply) => !starts.includes(reply) && folded(reply.text).includes(wanted),
  )
  return [...starts, ...others].slice(0, 8)
}

/** Fills `{{nome}}` and `{{telefone}}` of a quick reply; what is unknown about the contact is left out. */
export function fillQuickReply(
  text: string,
  contact: { name: string | null; phone: string | null } | null,
): string {
  const values: Record<string, string> = {
    nome: contact?.name?.split(' ')[0] ?? '',
    telefone: contact?.phone ?? '',
  }
  const known = text.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[name] ?? whole)
  // "Oi, !" reads like a mistake.
  return known.replace(/,? +([!?.,])/g, '$1')
}

/** Sets status or assignee of a conversation. */
export const changeConversation = (
  mode: Mode,
  { instanceId, id }: Pick<Conversation, 'instanceId' | 'id'>,
  body: { status?: Conversation['status']; assigneeId?: string; unread?: true },
) =>
  callApi(mode, 'PATCH /v1/instances/{id}/conversations/{conversationId}', {
    params: [instanceId, id],
    body,
  })
