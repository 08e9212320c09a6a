import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { t } from '../phrases/phrases.ts'

type Paged = Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>

/** The way to the next page of a list, where there is one; where nothing was found so far, the way to look further. */
export function MoreButton({ query, found }: { query: Paged; found: number }) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query
  if (!hasNextPage) return null
  return (
    <div>
      <button
        type="button"
        className="botao"
        disabled={isFetchingNextPage}
        onClick={() => void fetchNextPage()}
      >
        {found === 0 ? t.common.lookFurther : t.common.more}
      </button>
    </div>
  )
}
