import { defaultRangeExtractor, useWindowVirtualizer, type Range } from '@tanstack/react-virtual'
import { useCallback, useLayoutEffect, useState, type FocusEvent, type RefObject } from 'react'

/** Shorter tables are rendered whole: the browser's own search then finds every row. */
const VIRTUAL_FROM = 200
const ROW_HEIGHT = 41
const OVERSCAN = 20
/** How far from the window, in rows, the row that has the focus keeps its neighbors rendered. */
const FOCUS_REACH = 100

/** The window's rows, extended to the neighbors of the row that has the focus. */
function extendToFocus(range: Range, focused: number | null): number[] {
  const { startIndex, endIndex, count } = range
  const isNear =
    focused !== null && focused > startIndex - FOCUS_REACH && focused < endIndex + FOCUS_REACH
  if (!isNear || focused >= count) return defaultRangeExtractor(range)
  return defaultRangeExtractor({
    ...range,
    startIndex: Math.min(startIndex, focused),
    endIndex: Math.max(endIndex, focused),
  })
}

/**
 * Which rows of a table to render, with the heights of those before and after them, in pixels. `rendered` is null if all
 * are: in a short table, and within a dialog, which scrolls by itself. `measure` is the ref of each row, and `onFocus`
 * the listener of the table: keys that arrive faster than the window scrolls find the next row rendered.
 */
export function useVirtualRows(frame: RefObject<HTMLElement | null>, count: number) {
  const [top, setTop] = useState<number | null>(null)
  useLayoutEffect(() => {
    const element = frame.current
    const isLong = count > VIRTUAL_FROM && element?.closest('[role=dialog]') === null
    setTop(isLong ? element.getBoundingClientRect().top + window.scrollY : null)
  }, [frame, count])
  const [focused, setFocused] = useState<number | null>(null)
  const onFocus = useCallback(({ target }: FocusEvent) => {
    const index = target.closest('tr')?.dataset['index']
    setFocused(index === undefined ? null : Number(index))
  }, [])
  const rangeExtractor = useCallback((range: Range) => extendToFocus(range, focused), [focused])
  const virtualizer = useWindowVirtualizer({
    count,
    enabled: top !== null,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN,
    rangeExtractor,
    scrollMargin: top ?? 0,
  })
  const items = top === null ? [] : virtualizer.getVirtualItems()
  const [first] = items
  const last = items.at(-1)
  if (!first || !last) {
    return { rendered: null, before: 0, after: 0, measure: undefined, onFocus: undefined }
  }
  return {
    rendered: { from: first.index, to: last.index + 1 },
    before: first.start - (top ?? 0),
    after: virtualizer.getTotalSize() - (last.end - (top ?? 0)),
    measure: virtualizer.measureElement,
    onFocus,
  }
}
