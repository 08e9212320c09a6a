import { keepPreviousData, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { callApi, firstSendCommand, type Mode } from '../../data/api.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { Empty, Skeleton } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useFilters } from '../../ui/filters.ts'
import { useInstances } from '../../data/queries.ts'
import { NoInstance } from '../../shell/instance-scope.tsx'
import { canDevelop, Page, PhoneLink, usePanel } from '../../shell/page.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { Load } from '../../ui/load.tsx'
import { searchTextOf } from '../../ui/phone-number.ts'
import { useStep } from '../../ui/use-step.ts'
import { mergeHead } from '../../data/chats.ts'
import { ChatDetails } from './chat-details.tsx'
import { ConversationList, ListControls, type InboxFilter } from './conversation-list.tsx'
import { neighborOf, withConversation } from './list-order.ts'
import { MessageHits } from './message-hits.tsx'
import { UNASSIGNED } from './team-inbox.ts'
import { Thread } from './thread.tsx'
import { useInboxKeys } from './use-inbox-keys.ts'

const NewConversation = lazyPart(
  async () => (await import('./new-conversation.tsx')).NewConversation,
)
const PAGE = 200
const HEAD = 50
/** The status that the conversations of a view have. The first view lists the open ones, a search all. */
const STATUSES: Record<string, Conversation['status'] | undefined> = {
  // Saved views of earlier versions name the first view.
  abertas: 'open',
  minhas: 'open',
  'sem-responsavel': 'open',
  aguardando: 'waiting',
  concluidas: 'done',
}
/** The views that a conversation leaves when it is done. */
const LEAVING = new Set(['', 'abertas', 'minhas', 'sem-responsavel', 'sem-resposta', 'aguardando'])
/** The search parameters without an open conversation. */
const CLOSED = { conversa: undefined, mensagem: undefined, sobre: undefined }
/** Where the browser keeps which instance the inbox shows; empty for all. */
const keyOf = (mode: Mode) => `recado.conversas.${mode}`

/**
 * The live conversations of all instances, or of the one chosen last in this browser: the list, the open one, and its
 * details.
 */
export function Conversations() {
  const { mode } = usePanel()
  const { values } = useFilters<InboxFilter>()
  return (
    <Page framed title={t.conversations.title}>
      <Load query={useInstances()}>
        {({ items }) => {
          const paired = items.filter(({ pairedAt }) => pairedAt !== null)
          const { instancia } = values
          const find = (wanted: string | null) => paired.find(({ id }) => id === wanted)
          const chosen = instancia ? find(instancia) : null
          const [only, ...others] = paired
          if (!only || chosen === undefined) return <NoInstance chosen={instancia} />
          const last = chosen ?? find(localStorage.getItem(keyOf(mode))) ?? null
          return <Panes instances={paired} instance={others.length > 0 ? last : only} />
        }}
      </Load>
    </Page>
  )
}

/**
 * The conversations that match the filters. Pages are loaded while scrolling. Most changes happen at the head of the list,
 * so only the head is refetched at once, and merged into the pages.
 */
function useConversations(id: string | null) {
  const { mode, me } = usePanel()
  const { values } = useFilters<InboxFilter>()
  const isPlain = !(values.ver ?? values.q ?? values.etiqueta)
  const asked = {
    q: values.q === undefined ? undefined : searchTextOf(values.q),
    labelId: values.etiqueta,
    unread: values.ver === 'nao-lidas' ? true : undefined,
    awaitingReply: values.ver === 'sem-resposta' ? true : undefined,
    archived: values.ver === 'arquivadas' ? true : undefined,
    type: values.ver === 'grupos' ? ('group' as const) : undefined,
    status: isPlain ? ('open' as const) : STATUSES[values.ver ?? ''],
    assigneeId:
      values.ver === 'minhas' ? me.id : values.ver === 'sem-responsavel' ? UNASSIGNED : undefined,
  }
  const ask = (limit: number, offset: number, more: { pinned?: boolean } = {}) => {
    const filter = { ...asked, ...more, limit, offset } as { limit: number }
    return id === null
      ? callApi(mode, 'GET /v1/conversations', { query: filter })
      : callApi(mode, 'GET /v1/instances/{id}/conversations', { params: [id], query: filter })
  }
  const client = useQueryClient()
  const key = [mode, 'chats', id, asked] as const
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
  // A filter lists its matches by time alone.
  const pinned = useQuery({
    queryKey: [mode, 'conversations', id, 'pinned', asked],
    queryFn: () => ask(HEAD, 0, { pinned: true }),
    enabled: isPlain,
  })
  const items = useMemo(() => {
    const first = [...((isPlain && pinned.data?.items) || []), ...(head.data?.items ?? [])]
    const known = new Set<string>()
    const rest = (query.data?.pages ?? []).flatMap((page) => page.items)
    // A pinned conversation is also among the newest; one that moved between pages while they were loaded is in both.
    return [...first, ...rest].filter((one) => !known.has(one.id) && known.add(one.id))
  }, [head.data, query.data, pinned.data, isPlain])
  return { query, items }
}

/** The views that a conversation leaves when it is read or answered. */
const KEEPING = new Set(['nao-lidas', 'sem-resposta'])

function Panes(props: { instances: Instance[]; instance: Instance | null }) {
  const { instances, instance } = props
  const { mode, me } = usePanel()
  const { values, set } = useFilters<InboxFilter>()
  const { query, items: matching } = useConversations(instance?.id ?? null)
  const { conversa } = values
  const filtered = Boolean(values.q ?? values.etiqueta ?? values.ver)
  const listed = matching.find(({ id }) => id === conversa)
  // The conversation in the URL may not be in a loaded page.
  const alone = useQuery({
    queryKey: [mode, 'conversations', 'one', conversa],
    queryFn: () => callApi(mode, 'GET /v1/conversations/{id}', { params: [conversa ?? ''] }),
    enabled: conversa !== undefined && !listed && query.data !== undefined,
    retry: false,
  })
  // Keeps the open conversation, with its unsent text, while the list is being searched.
  const last = useRef<Conversation | undefined>(undefined)
  const kept = last.current?.id === conversa ? last.current : undefined
  const open = listed ?? alone.data ?? kept
  // What is read or answered leaves its view, but not while it is open.
  const readIn = useRef<string | null>(null)
  const view = JSON.stringify([values.ver, values.q, values.etiqueta, conversa])
  const stays = !listed && readIn.current === view && KEEPING.has(values.ver ?? '')
  const items = stays && open ? withConversation(matching, open) : matching
  useEffect(() => {
    last.current = open
    if (listed) readIn.current = view
    else if (!stays) readIn.current = null
  })
  const owner = open && instances.find(({ id }) => id === open.instanceId)
  const choose = (id: string | undefined, mensagem?: string) =>
    set(id ? { conversa: id, mensagem } : CLOSED, { replace: false })
  // In the URL, so that the back button closes them, and an unsaved form is asked about.
  const detailed = values.sobre !== undefined
  const setDetailed = useStep('sobre')
  const [starting, setStarting] = useState(false)
  const panes = useRef<HTMLDivElement>(null)
  /** Whether a click or Enter opened the conversation, which moves the cursor to the reply field; j and k do not. */
  const wantsToWrite = useRef(false)
  useInboxKeys(panes, items, conversa, (id, isWriting) => {
    wantsToWrite.current = isWriting
    choose(id)
  })
  return (
    <div
      className="inbox"
      data-open={open !== undefined}
      data-detailed={open !== undefined && detailed}
      ref={panes}
    >
      <section className="inbox-list" aria-label={t.conversations.title}>
        <ListControls
          onNew={() => setStarting(true)}
          instances={instances}
          instance={instance}
          onInstance={(instancia) => {
            localStorage.setItem(keyOf(mode), instancia ?? '')
            set({ instancia, etiqueta: undefined, ...CLOSED })
          }}
        />
        {query.error && !query.data && (
          <ErrorBlock error={query.error} retry={() => void query.refetch()} />
        )}
        {query.isPending && <Skeleton />}
        {query.data && items.length === 0 && values.q === undefined && (
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
              : {
                  curl: firstSendCommand(
                    mode,
                    (instance ?? instances[0])?.id ?? '',
                    t.phone.greeting,
                  ),
                })}
          >
            {mode === 'test' && !filtered && <PhoneLink />}
          </Empty>
        )}
        {items.length > 0 && (
          <ConversationList
            instances={instance ? [instance] : instances}
            mixed={!instance}
            items={items}
            open={conversa}
            onChoose={(id) => {
              wantsToWrite.current = true
              choose(id)
            }}
            onEnd={() => {
              const { hasNextPage, isFetchingNextPage, isFetchNextPageError } = query
              if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) {
                void query.fetchNextPage()
              }
            }}
          />
        )}
        {values.q !== undefined && (
          <MessageHits
            instances={instance ? [instance] : instances}
            words={values.q}
            open={values.mensagem}
            alone={query.data !== undefined && items.length === 0}
            onChoose={(hit) => choose(hit.conversationId, hit.id)}
          />
        )}
        {query.isFetchNextPageError && (
          <ErrorBlock error={query.error} retry={() => void query.fetchNextPage()} />
        )}
      </section>
      {open && owner ? (
        <>
          <Thread
            key={open.id}
            instance={owner}
            wanted={values.mensagem}
            conversation={open}
            focused={wantsToWrite.current}
            onDone={() => {
              // Another may have been opened meanwhile, and some views keep what is done.
              if (last.current?.id !== open.id || !LEAVING.has(values.ver ?? '')) return
              choose(isListShown(panes) ? neighborOf(items, open.id) : undefined)
            }}
            detailed={detailed}
            onDetails={() => setDetailed(!detailed)}
            onClose={() => choose(undefined)}
          />
          {detailed && (
            <ChatDetails instance={owner} conversation={open} onClose={() => setDetailed(false)} />
          )}
        </>
      ) : (
        <div className="inbox-none">
          <p className="quiet">{alone.error ? alone.error.message : t.conversations.choose}</p>
        </div>
      )}
      {starting && (
        <Suspense fallback={null}>
          <NewConversation
            instances={instance ? [instance] : instances}
            to=""
            onClose={() => setStarting(false)}
          />
        </Suspense>
      )}
    </div>
  )
}

/** Whether the list is beside the open conversation; on a phone it is not. */
const isListShown = (panes: RefObject<HTMLDivElement | null>): boolean =>
  panes.current?.querySelector<HTMLElement>('.inbox-list')?.offsetParent !== null
