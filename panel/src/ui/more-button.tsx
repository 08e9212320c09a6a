import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { t } from '../phrases/phrases.ts'

type Paged = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>

/** Button that loads the next page of a list, if any; its label differs while nothing has been found. */
export function MoreButton({ query, found }: { query: Paged; found: number }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <div>
      <button
        type="button"
        className="button"
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {found === 0 ? t.common.lookFurther : t.common.more}
      </button>
    </div>
  )
}
