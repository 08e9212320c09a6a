import { keepPreviousData, useInfiniteQuery, type QueryKey } from '@tanstack/react-query'

type Answer<Item> = { items: Item[]; hasMore: boolean; offset: number; limit: number }
const PAGE = 50

// A stable reference, so that `select` runs only on new data.
const itemsOf = <Item>({ pages }: { pages: Answer<Item>[] }) => pages.flatMap(({ items }) => items)

/** A list loaded page by page; `data` holds all items loaded so far. */
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
