import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { Skeleton } from './controls.tsx'
import { ErrorBlock } from './error-block.tsx'
import { relative } from './time.tsx'

type Loaded<Data> = Pick<
  UseQueryResult<Data>,
  'data' | 'error' | 'dataUpdatedAt' | 'isFetching'
> & { refetch: () => unknown }

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
  if (query.data === undefined) {
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
