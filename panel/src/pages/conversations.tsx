import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, type RefObject } from 'react'
import { callApi, firstSendCommand } from '../api.ts'
import type { Conversation, Instance } from '../api-types.ts'
import { t } from '../phrases/phrases.ts'
import { useLabels } from '../queries.ts'
import { Choice, Empty, Skeleton } from '../ui/controls.tsx'
import { nameOf } from '../ui/message-content.tsx'
import { ErrorBlock } from '../ui/error-block.tsx'
import { useFilters } from '../ui/filters.ts'
import { SearchField } from '../ui/search-field.tsx'
import { InstanceScope } from '../ui/instance-scope.tsx'
import { PhoneLink, usePanel } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { mergeHead } from '../chats.ts'
import { ChatDetails } from './chat-details.tsx'
import { Thread } from './thread.tsx'

const PAGE = 200
const HEAD = 50
const ROW_PX = 64

type Filter = 'instancia' | 'conversa' | 'q' | 'etiqueta' | 'ver'

/** The live conversations of an instance: the list, the open one, and its details. */
export function Conversations() {
  const { values, set } = useFilters<Filter>()
  return (
    <InstanceScope
      title={t.conversations.title}
      chosen={values.instancia}
      onChoose={(instancia) => set({ instancia, conversa: undefined })}
    >
      {(instance) => <Panes instance={instance} />}
    </InstanceScope>
  )
}

/**
 * The conversations that match the filters. Pages are loaded once, while scrolling. Changes happen at the head of the
 * list, so only the head is refetched, and merged into the pages.
 */
function useConversations(id: string) {
  const { mode } = usePanel()
  const { values } = useFilters<Filter>()
  const asked = {
    q: values.q,
    labelId: values.etiqueta,
    unread: values.ver === 'nao-lidas' ? true : undefined,
    archived: values.ver === 'arquivadas' ? true : undefined,
    type: values.ver === 'grupos' ? ('group' as const) : undefined,
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

function Panes({ instance }: { instance: Instance }) {
  const { mode } = usePanel()
  const { values, set } = useFilters<Filter>()
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
  const panes = useRef<HTMLDivElement>(null)
  useKeys(panes, items, conversa, choose)
  return (
    <div className="paineis" data-open={open !== undefined} ref={panes}>
      <section className="pilha-menor" aria-label={t.conversations.title}>
        <Filters instance={instance} />
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
            {...(filtered ? {} : { curl: firstSendCommand(mode, instance.id, t.phone.greeting) })}
          >
            {mode === 'test' && !filtered && <PhoneLink />}
          </Empty>
        )}
        {items.length > 0 && (
          <List
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
            onClose={() => choose(undefined)}
          />
          <ChatDetails instance={instance} conversation={open} />
        </>
      ) : (
        <Empty text={alone.error ? alone.error.message : t.conversations.choose} />
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

function Filters({ instance: { id } }: { instance: Instance }) {
  const { values, set } = useFilters<Filter>()
  const labels = useLabels(id)
  const known = labels.data?.items ?? []
  return (
    <>
      <SearchField label={t.conversations.search} value={values.q} onSearch={(q) => set({ q })} />
      <div className="campos">
        <Choice
          label={t.conversations.show}
          value={values.ver ?? ''}
          onChange={(event) => set({ ver: event.target.value })}
          options={[
            ['', t.conversations.everything],
            ['nao-lidas', t.conversations.onlyUnread],
            ['grupos', t.groups.title],
            ['arquivadas', t.conversations.archived],
          ]}
        />
        {known.length > 0 && (
          <Choice
            label={t.labels.one}
            value={values.etiqueta ?? ''}
            onChange={(event) => set({ etiqueta: event.target.value })}
            options={[['', t.common.all], ...known.map((label) => [label.id, label.name] as const)]}
          />
        )}
      </div>
    </>
  )
}

/** Virtualized: only visible rows are in the DOM, so that thousands scroll smoothly. */
function List(props: {
  items: Conversation[]
  open: string | undefined
  onChoose: (id: string) => void
  onEnd: () => void
}) {
  const { items, open, onChoose, onEnd } = props
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_PX,
    overscan: 8,
  })
  const seen = rows.getVirtualItems()
  const last = seen.at(-1)?.index ?? 0
  const near = last >= items.length - HEAD / 2
  useEffect(() => {
    if (near) onEnd()
  })
  const at = items.findIndex(({ id }) => id === open)
  useEffect(() => {
    if (at >= 0) rows.scrollToIndex(at)
    // Only when another conversation is opened, not when the list changes.
  }, [open])
  return (
    <div className="conversas" ref={frame}>
      <ul style={{ height: rows.getTotalSize() }}>
        {seen.map(({ index, start }) => {
          const conversation = items[index]
          if (!conversation) return null
          return (
            <li
              key={conversation.id}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start}px)` }}
            >
              <Row
                conversation={conversation}
                open={conversation.id === open}
                onChoose={onChoose}
              />
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function Row(props: { conversation: Conversation; open: boolean; onChoose: (id: string) => void }) {
  const { conversation, open, onChoose } = props
  const { id, unreadCount, lastMessage, lastMessageAt } = conversation
  const text = lastMessage?.text ?? (lastMessage ? t.kinds[lastMessage.type] : '')
  return (
    <button type="button" aria-current={open ? 'true' : undefined} onClick={() => onChoose(id)}>
      <span className="entre">
        <strong className="corte">{nameOf(conversation)}</strong>
        <small className="discreto">{lastMessageAt && <Time at={lastMessageAt} within />}</small>
      </span>
      <span className="entre">
        <span className="discreto corte">
          {lastMessage?.fromMe ? `${t.conversations.you}: ${text}` : text}
        </span>
        {unreadCount > 0 && (
          <span className="contador">
            {unreadCount}
            <span className="visually-hidden"> {t.conversations.unread}</span>
          </span>
        )}
      </span>
    </button>
  )
}
