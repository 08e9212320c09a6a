import type { UseQueryResult } from '@tanstack/react-query'
import { createContext, use, useEffect, useReducer, useRef, useState, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { Skeleton } from './controls.tsx'
import { ErrorBlock } from './error-block.tsx'
import { relative } from './time.tsx'

type Loaded<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'dataUpdatedAt' | 'isFetching'
> & { refetch: () => unknown }

/** Whether the page says once, for all of its parts, that the server cannot be reached. */
export const Reconnecting = createContext(false)

/** To avoid flicker, a skeleton appears only after the first delay, and then stays for at least the second. */
const SKELETON_DELAY_MS = 150
const SKELETON_MIN_MS = 300

/**
 * Whether to show the skeleton: while loading, and for a minimum time once it has appeared. Data that arrives before
 * the skeleton has appeared is rendered at once.
 */
function useSkeleton(waits: boolean): boolean {
  const [began] = useState(() => (waits ? performance.now() : null))
  const [ended, end] = useReducer(() => true, false)
  const drawn = useRef(false)
  const age = began === null ? 0 : performance.now() - began
  const flashes =
    !ended &&
    !drawn.current &&
    age >= SKELETON_DELAY_MS &&
    age < SKELETON_DELAY_MS + SKELETON_MIN_MS
  if (!waits && !flashes) drawn.current = true
  const left = waits || !flashes ? 0 : SKELETON_DELAY_MS + SKELETON_MIN_MS - age
  useEffect(() => {
    if (left <= 0) return
    // The timer ends the wait itself, since it can fire before the clock reaches that time.
    const timer = setTimeout(end, left)
    return () => clearTimeout(timer)
    // Starts once, when loaded data has to wait.
  }, [left > 0])
  return waits || flashes
}

/**
 * Renders a query: a skeleton while it has no data, its error with a retry, or its data, with a note about their age if
 * the last refetch failed.
 */
export function Load<Data>(props: {
  query: Loaded<Data>
  /** Height in pixels of each skeleton, and the number of skeletons. */
  height?: number
  count?: number
  children: (data: Data) => ReactNode
}) {
  const { query, height, count = 1, children } = props
  const retry = () => void query.refetch()
  const isSaid = use(Reconnecting) && (query.error as { status?: number } | null)?.status === 0
  const waits = useSkeleton(query.data === undefined && !query.error)
  if (query.data === undefined || waits) {
    if (query.error) return <ErrorBlock error={query.error} retry={retry} />
    return Array.from({ length: count }, (_, part) => <Skeleton key={part} height={height} />)
  }
  return (
    <>
      {query.error && !isSaid && (
        <div className="stale" role="status">
          <span>{t.common.stale(relative(query.dataUpdatedAt))}</span>
          <span>{query.error.message}</span>
          <button type="button" className="button" onClick={retry}>
            {t.common.retry}
          </button>
        </div>
      )}
      {children(query.data)}
    </>
  )
}
