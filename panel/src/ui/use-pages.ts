import { keepPreviousData, useInfiniteQuery, type QueryKey } from '@tanstack/react-query'

type Answer<Item> = { items: Item[]; hasMore: boolean; offset: number; limit: number }
const PAGE = 50

// Of one identity, so that it runs only when something came.
const itemsOf = <Item>({ pages }: { pages: Answer<Item>[] }) => pages.flatMap(({ items }) => items)

/** A list that is asked for page by page: `data` is all that came so far. */
export function usePages<Item>(
  queryKey: QueryKey,
  ask: (page: { limit: number; offset: number }) => Promise<Answer<Item>>,
  options: { refetchInterval?: number } = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => ask({ limit: PAGE, offset: pageParam }),
    initialPageParam: 0,
    placeholderData: keepPreviousData,
    getNextPageParam: ({ hasMore, offset, limit }) => (hasMore ? offset + limit : undefined),
    select: itemsOf<Item>,
    ...options,
  })
}
