import { useEffect, useState } from 'react'

/**
 * A list whose newest rows come by themselves: what is there at first is shown, what comes above it later waits until
 * `show` is called, so that rows do not jump under the hand. `asked`: the question; another one begins anew. `isOld`: the rows are
 * still those of the question before.
 */
export function useNewer<Item>(
  items: Item[],
  keyOf: (item: Item) => string,
  asked: string,
  isOld: boolean,
) {
  const [seen, setSeen] = useState<ReadonlySet<string> | null>(null)
  useEffect(() => setSeen(null), [asked])
  const some = items.length > 0
  useEffect(() => {
    if (seen === null && some && !isOld) setSeen(new Set(items.map(keyOf)))
    // What is there at first is seen; what comes later waits.
  }, [seen, some, isOld])
  const first = seen ? items.findIndex((item) => seen.has(keyOf(item))) : 0
  const newer = Math.max(0, first)
  return { shown: items.slice(newer), newer, show: () => setSeen(null) }
}
