import { useEffect, useState } from 'react'

/**
 * Holds back rows that arrive above those first shown until `show` is called, so that rows do not shift under the
 * pointer. `queryId` identifies the query: a change resets the list. `isStale`: `items` still belong to the previous query.
 */
export function useHeldBackRows<Item>(
  items: Item[],
  keyOf: (item: Item) => string,
  queryId: string,
  isStale: boolean,
) {
  const [seen, setSeen] = useState<ReadonlySet<string> | null>(null)
  useEffect(() => setSeen(null), [queryId])
  const some = items.length > 0
  useEffect(() => {
    if (seen === null && some && !isStale) setSeen(new Set(items.map(keyOf)))
    // `items` is deliberately not a dependency: later items must wait.
  }, [seen, some, isStale])
  const first = seen ? items.findIndex((item) => seen.has(keyOf(item))) : 0
  const newer = Math.max(0, first)
  return { shown: items.slice(newer), newer, show: () => setSeen(null) }
}
