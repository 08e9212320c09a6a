import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useState, type RefObject } from 'react'

/** Shorter tables are rendered whole: the browser's own search then finds every row. */
const VIRTUAL_FROM = 200
const ROW_HEIGHT = 41
const OVERSCAN = 20

/**
 * Which rows of a table to render, with the heights of those before and after them, in pixels. `rendered` is null if all
 * are: in a short table, and within a dialog, which scrolls by itself. `measure` is the ref of each row.
 */
export function useVirtualRows(frame: RefObject<HTMLElement | null>, count: number) {
  const [top, setTop] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = frame.current
    const isLong = count > VIRTUAL_FROM && element?.closest('[role=dialog]') === null
    setTop(isLong ? element.getBoundingClientRect().top + window.scrollY : null)
  }, [frame, count])
  const virtualizer = useWindowVirtualizer({
    count,
    enabled: top !== null,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    scrollMargin: top ?? 0,
  })
  const items = top === null ? [] : virtualizer.getVirtualItems()
  const [first] = items
  const last = items.at(-1)
  if (!first || !last) return { rendered: null, before: 0, after: 0, measure: undefined }
  return {
    rendered: { from: first.index, to: last.index + 1 },
    before: first.start - (top ?? 0),
    after: virtualizer.getTotalSize() - (last.end - (top ?? 0)),
    measure: virtualizer.measureElement,
  }
}
