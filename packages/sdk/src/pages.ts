/** A page of a list, as the API returns it. */
export type Page<Item> = { items: Item[]; limit: number; offset: number; hasMore: boolean }
type PageQuery = { limit?: number; offset?: number }
/** A list: `for await` yields every item and fetches pages as needed; `page()` returns the first page alone. */
export type List<Item> = AsyncIterable<Item> & { page(): Promise<Page<Item>> }

/** Creates a list from a function that fetches one page. */
export function createList<Item>(
  query: PageQuery | undefined,
  fetchPage: (query: PageQuery) => Promise<Page<Item>>,
): List<Item> {
  return {
    page: () => fetchPage({ ...query }),
    async *[Symbol.asyncIterator]() {
      for (let offset = query?.offset ?? 0; ;) {
        const { items, hasMore } = await fetchPage({ ...query, offset })
        yield* items
        if (!hasMore || items.length === 0) return
        offset += items.length
      }
    },
  }
}
