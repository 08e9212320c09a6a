/** A page of a list, as the API returns it. */
export type Page<Item> = { items: Item[]; limit: number; offset: number; hasMore: boolean }
type PageQuery = { limit?: number; offset?: number }
/** A list: `for await` yields every item and fetches pages as needed; `page()` returns the first page alone. */
export type List<Item> = AsyncIterable<Item> & { page(): Promise<Page<Item>> }
/** Items whose ids are remembered, so that none is yielded again if the list grows meanwhile. */
const MAX_SEEN = 10_000
const idOf = (item: unknown) => JSON.stringify((item as { id?: string }).id ?? item)
/** Creates a list from a function that fetches one page. The walk neither skips nor repeats items if the list changes. */
export function createList<Item>(
  query: PageQuery | undefined,
  fetchPage: (query: PageQuery) => Promise<Page<Item>>,
): List<Item> {
  return {
    page: () => fetchPage({ ...query }),
    async *[Symbol.asyncIterator]() {
      const first = query?.offset ?? 0
      const seen = new Set<string>()
      for (let [offset, gap] = [first, -1]; ;) {
        const { items, hasMore, limit } = await fetchPage({ ...query, offset })
        // Pages overlap by one item. If none is known, items were removed: go back, unless that was in vain.
        const fresh = items.filter((item) => !seen.has(idOf(item)))
        if (offset > first && offset !== gap && limit > 1 && fresh.length === items.length) {
          ;[offset, gap] = [Math.max(first, offset - limit), gap < 0 ? offset : gap]
          continue
        }
        if (fresh.length > 0) gap = -1
        if (seen.size > MAX_SEEN) seen.clear()
        for (const item of items) seen.add(idOf(item))
        yield* fresh
        if (!hasMore) return
        offset += Math.max(1, items.length - 1)
      }
    },
  }
}
