import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { callApi, firstSendCommand } from '../../data/api.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Empty, Skeleton } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useFilters } from '../../ui/filters.ts'
import { InstanceScope } from '../../shell/instance-scope.tsx'
import { canDevelop, PhoneLink, usePanel } from '../../shell/page.tsx'
import { searchTextOf } from '../../ui/phone-number.ts'
import { mergeHead } from '../../data/chats.ts'
import { ChatDetails } from './chat-details.tsx'
import { ConversationList, ListControls, type InboxFilter } from './conversation-list.tsx'
import { UNASSIGNED } from './team-inbox.ts'
import { Thread } from './thread.tsx'

const PAGE = 200
const HEAD = 50

/** The live conversations of an instance: the list, the open one, and its details. */
export function Conversations() {
  const { values, set } = useFilters<InboxFilter>()
  return (
    <InstanceScope
      framed
      title={t.conversations.title}
      chosen={values.instancia}
      onChoose={(instancia) => set({ instancia, conversa: undefined })}
    >
      {(instance, choose) => <Panes instance={instance} onInstance={choose} />}
    </InstanceScope>
  )
}

/**
 * The conversations that match the filters. Pages are loaded once, while scrolling. Changes happen at the head of the
 * list, so only the head is refetched, and merged into the pages.
 */
function useConversations(id: string) {
  const { mode, me } = usePanel()
  const { values } = useFilters<InboxFilter>()
  const asked = {
    q: values.q === undefined ? undefined : searchTextOf(values.q),
    labelId: values.etiqueta,
    unread: values.ver === 'nao-lidas' ? true : undefined,
    archived: values.ver === 'arquivadas' ? true : undefined,
    type: values.ver === 'grupos' ? ('group' as const) : undefined,
    status: values.ver === 'concluidas' ? ('done' as const) : undefined,
    assigneeId:
      values.ver === 'minhas' ? me.id : values.ver === 'sem-responsavel' ? UNASSIGNED : undefined,
  }
  const ask = (limit: number, offset: number) =>
    callApi(mode, 'GET /v1/instances/{id}/conversations', {
      params: [id],
      query: { ...asked, limit, offset } as { limit: number },
    })
  const client = useQueryClient()
  const key = [mode, 'chats', id, asked]
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam }) => ask(PAGE, pageParam),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  })
  const head = useQuery({
    queryKey: [mode, 'conversations', id, asked],
    async queryFn() {
      const newest = await ask(HEAD, 0)
      mergeHead(client, key, newest)
      return newest
    },
    placeholderData: keepPreviousData,
  })
  const items = useMemo(() => {
    const first = head.data?.items ?? []
    const known = new Set(first.map((one) => one.id))
    const rest = (query.data?.pages ?? []).flatMap((page) => page.items)
    return [
      ...first,
      // A conversation that moved between pages while they were loaded is in both.
      ...rest.filter((one) => !known.has(one.id) && known.add(one.id)),
    ]
  }, [head.data, query.data])
  return { query, items }
}

function Panes(props: { instance: Instance; onInstance: (id: string) => void }) {
  const { instance, onInstance } = props
  const { mode, me } = usePanel()
  const { values, set } = useFilters<InboxFilter>()
  const { query, items } = useConversations(instance.id)
  const { conversa } = values
  const filtered = Boolean(values.q ?? values.etiqueta ?? values.ver)
  const listed = items.find(({ id }) => id === conversa)
  // The conversation in the URL may not be in a loaded page.
  const alone = useQuery({
    queryKey: [mode, 'conversations', instance.id, 'one', conversa],
    queryFn: () =>
      callApi(mode, 'GET /v1/instances/{id}/conversations/{conversationId}', {
        params: [instance.id, conversa ?? ''],
      }),
    enabled: conversa !== undefined && !listed && query.data !== undefined,
    retry: false,
  })
  // Keeps the open conversation, with its unsent text, while the list is being searched.
  const last = useRef<Conversation | undefined>(undefined)
  const kept = last.current?.id === conversa ? last.current : undefined
  const open = listed ?? alone.data ?? kept
  useEffect(() => {
    last.current = open
  })
  const choose = (id: string | undefined) => set({ conversa: id }, { replace: false })
  const [detailed, setDetailed] = useState(false)
  const panes = useRef<HTMLDivElement>(null)
  useKeys(panes, items, conversa, choose)
  return (
    <div
      className="inbox"
      data-open={open !== undefined}
      data-detailed={open !== undefined && detailed}
      ref={panes}
    >
      <section className="inbox-list" aria-label={t.conversations.title}>
        <ListControls instance={instance} onInstance={onInstance} />
        {query.error && !query.data && (
          <ErrorBlock error={query.error} retry={() => void query.refetch()} />
        )}
        {query.isPending && <Skeleton />}
        {query.data && items.length === 0 && (
          <Empty
            text={
              filtered
                ? t.conversations.noneFound
                : mode === 'test'
                  ? t.conversations.empty
                  : t.conversations.emptyLive
            }
            {...(filtered || !canDevelop(me)
              ? {}
              : { curl: firstSendCommand(mode, instance.id, t.phone.greeting) })}
          >
            {mode === 'test' && !filtered && <PhoneLink />}
          </Empty>
        )}
        {items.length > 0 && (
          <ConversationList
            instance={instance}
            items={items}
            open={conversa}
            onChoose={choose}
            onEnd={() => {
              const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query
              if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) {
                void query.fetchNextPage()
              }
            }}
          />
        )}
        {query.isFetchNextPageError && (
          <ErrorBlock error={query.error} retry={() => void query.fetchNextPage()} />
        )}
      </section>
      {open ? (
        <>
          <Thread
            key={open.id}
            instance={instance}
            conversation={open}
            detailed={detailed}
            onDetails={() => setDetailed(!detailed)}
            onClose={() => choose(undefined)}
          />
          {detailed && <ChatDetails instance={instance} conversation={open} />}
        </>
      ) : (
        <div className="inbox-none">
          <p className="quiet">{alone.error ? alone.error.message : t.conversations.choose}</p>
        </div>
      )}
    </div>
  )
}

/** j and k move down and up the list while the focus is inside the panes, but not in a text field. */
function useKeys(
  panes: RefObject<HTMLDivElement | null>,
  items: Conversation[],
  open: string | undefined,
  choose: (id: string | undefined) => void,
) {
  useEffect(() => {
    function handleKeyDown({ key, target, ctrlKey, metaKey, altKey }: KeyboardEvent) {
      const writes = target instanceof Element && target.closest('input, textarea, select, dialog')
      const step = { j: 1, k: -1 }[key]
      if (writes || ctrlKey || metaKey || altKey || step === undefined) return
      const at = items.findIndex(({ id }) => id === open)
      const next = items[Math.min(Math.max(0, at + step), items.length - 1)]
      if (next) choose(next.id)
    }
    const element = panes.current
    element?.addEventListener('keydown', handleKeyDown)
    return () => element?.removeEventListener('keydown', handleKeyDown)
  })
}
