import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { usePanel } from '../../shell/page.tsx'

const PAGE = 50
/** Messages that the newest page may hold before its older half becomes a page of its own. */
const SPLIT_FROM = 100
const NEWEST_LIMIT = 200

/**
 * Older messages: those before `until`, without the first `skip` of them, which the page after this one has already
 * (several messages may have the same time). `since` is the earliest time of a page that was split from the newest one.
 */
type Span = { until: string; skip: number; since?: string; limit: number }
/** Messages of a conversation that were loaded together, oldest first. */
export type ThreadPage = { id: string; messages: Message[] }

/** The items of each page in the order of time, so that a page that did not change is not drawn again. */
const oldestFirst = new WeakMap<Message[], Message[]>()

const idOf = ({ until, skip }: Span): string => `${until} ${skip}`
const plusOneMs = (at: string): string => new Date(Date.parse(at) + 1).toISOString()

/**
 * Loads the messages of a conversation in pages, oldest first. Each page covers a range of time (keyset pagination), so
 * new messages do not shift the others. After a change, only the newest page and those passed to `setNear` are
 * refetched; the others are refetched when they come into view.
 */
export function useThreadPages(instance: Instance, conversation: Conversation) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [spans, setSpans] = useState<Span[]>([])
  const [near, setNear] = useState<ReadonlySet<string>>(new Set())
  /** Where the newest page begins, once another one ends there. */
  const begin = useRef<string | undefined>(undefined)
  const key = [mode, 'messages', instance.id, conversation.id] as const
  const load = (query: { since?: string; until?: string; limit: number; offset?: number }) =>
    callApi(mode, 'GET /v1/instances/{id}/messages', {
      params: [instance.id],
      query: { conversationId: conversation.id, ...query },
    })
  const newest = useQuery({
    queryKey: [...key, 'newest'],
    queryFn: () =>
      load(begin.current ? { since: begin.current, limit: NEWEST_LIMIT } : { limit: PAGE }),
  })
  const older = useQueries({
    queries: spans.map((span) => {
      const { until, since, skip, limit } = span
      const queryKey = [...key, span] as const
      return {
        queryKey,
        queryFn: () => load({ until, limit, offset: skip, ...(since ? { since } : {}) }),
        // A page that is not shown stays as it is until it is shown again.
        enabled: near.has(idOf(span)) || client.getQueryData(queryKey) === undefined,
        staleTime: Number.POSITIVE_INFINITY,
      }
    }),
    combine: (results) => ({
      data: results.map(({ data }) => data),
      isLoading: results.some(({ isLoading }) => isLoading),
      failed: results.find(({ isError, data }) => isError && !data),
    }),
  })
  const { data } = newest

  useEffect(() => {
    if (!data) return
    if (begin.current !== undefined && data.limit === NEWEST_LIMIT && data.hasMore) {
      // More arrived while the page was away than it can hold: start again from the end.
      begin.current = undefined
      setSpans([])
      return
    }
    const middle = data.items[PAGE]
    if (data.items.length <= SPLIT_FROM || !middle) return
    const until = middle.createdAt
    const items = data.items.filter(({ createdAt }) => createdAt < until)
    if (items.length === 0) return
    const since = begin.current
    const span: Span = { until, skip: 0, limit: NEWEST_LIMIT, ...(since ? { since } : {}) }
    const kept = data.items.slice(0, data.items.length - items.length)
    client.setQueryData([...key, span], { ...data, items })
    client.setQueryData([...key, 'newest'], { ...data, items: kept })
    begin.current = until
    setSpans((before) => [span, ...before])
  })

  const pages = useMemo(() => {
    const seen = new Set<string>()
    /** The messages of a page that no newer page has, oldest first; the same array for the same page. */
    function takeNew(items: Message[]): Message[] {
      const fresh = items.filter(({ id }) => !seen.has(id) && seen.add(id))
      if (fresh.length < items.length) return fresh.toReversed()
      const known = oldestFirst.get(items) ?? items.toReversed()
      oldestFirst.set(items, known)
      return known
    }
    const newestFirst: ThreadPage[] = [
      { id: 'newest', messages: takeNew(data?.items ?? []) },
      ...spans.flatMap((span, index) => {
        const page = older.data[index]
        return page ? [{ id: idOf(span), messages: takeNew(page.items) }] : []
      }),
    ]
    return newestFirst.toReversed()
  }, [data, spans, older.data])

  // A page that was split from the newest one keeps its `hasMore`, unless something did before.
  const last = spans.length === 0 ? data : older.data.at(-1)
  const hasMore = last?.hasMore ?? false
  return {
    newest,
    pages,
    setNear,
    hasMore,
    isLoadingMore: older.isLoading,
    isFailed: older.failed !== undefined,
    /** Loads the page before the oldest one; after a failure, tries again. */
    loadMore() {
      if (older.failed) return void older.failed.refetch()
      const oldest = last?.items.at(-1)
      if (!hasMore || older.isLoading || !oldest || !data) return
      // The newest page ends here from now on, however many messages it gets.
      if (spans.length === 0) begin.current = oldest.createdAt
      const same = pages
        .slice(0, 2)
        .flatMap(({ messages }) => messages)
        .filter(({ createdAt }) => createdAt === oldest.createdAt)
      const until = plusOneMs(oldest.createdAt)
      const span: Span = { until, skip: same.length, limit: PAGE }
      setSpans((before) =>
        before.some((one) => idOf(one) === idOf(span)) ? before : [...before, span],
      )
    },
  }
}
