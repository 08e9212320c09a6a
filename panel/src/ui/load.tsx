import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorBlock, Skeleton } from './controls.tsx'

/** What a query has: a skeleton while it has nothing, the failure with a retry, else its data. */
export function Load<Data>(props: {
  query: UseQueryResult<Data>
  children: (data: Data) => ReactNode
}) {
  const { query, children } = props
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.error) return <ErrorBlock error={query.error} retry={() => void query.refetch()} />
  return <Skeleton />
}
