import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect, useReducer, useRef, useState, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { Skeleton } from './controls.tsx'
import { ErrorBlock } from './error-block.tsx'
import { relative } from './time.tsx'

type Loaded<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'dataUpdatedAt' | 'isFetching'
> & { refetch: () => unknown }

/** A skeleton is seen from the first of these on, and then for the second at least, in milliseconds. */
const SEEN_AFTER_MS = 150
const SEEN_FOR_MS = 300

/**
 * Whether the skeleton stands: while nothing has come, and for a moment more where it would only flash. What comes before
 * anybody has seen it is drawn at once.
 */
function useSkeleton(waits: boolean): boolean {
  const [began] = useState(() => (waits ? performance.now() : null))
  const [, draw] = useReducer((count: number) => count + 1, 0)
  const drawn = useRef(false)
  const age = began === null ? 0 : performance.now() - began
  const flashes = !drawn.current && age >= SEEN_AFTER_MS && age < SEEN_AFTER_MS + SEEN_FOR_MS
  if (!waits && !flashes) drawn.current = true
  const left = waits || !flashes ? 0 : SEEN_AFTER_MS + SEEN_FOR_MS - age
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(draw, left)
    return () => clearTimeout(timer)
    // Begun once, when what came has to wait.
  }, [left > 0])
  return waits || flashes
}

/**
 * What a query has: a skeleton while it has nothing, the failure with a retry, else its data, with a word about how old
 * they are when they could not be renewed.
 */
export function Load<Data>(props: {
  query: Loaded<Data>
  /** How high what comes will be, in pixels, and of how many parts. */
  height?: number
  count?: number
  children: (data: Data) => ReactNode
}) {
  const { query, height, count = 1, children } = props
  const retry = () => void query.refetch()
  const waits = useSkeleton(query.data === undefined && !query.error)
  if (query.data === undefined || waits) {
    if (query.error) return <ErrorBlock error={query.error} retry={retry} />
    return Array.from({ length: count }, (_, part) => <Skeleton key={part} height={height} />)
  }
  return (
    <>
      {query.error && (
        <div className="velho" role="status">
          <span>{t.common.stale(relative(query.dataUpdatedAt))}</span>
          <span>{query.error.message}</span>
          <button type="button" className="botao" onClick={retry}>
            {t.common.retry}
          </button>
        </div>
      )}
      {children(query.data)}
    </>
  )
}
