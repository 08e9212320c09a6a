import { useCallback, useLayoutEffect, useRef, type RefObject } from 'react'

const NEAR_END_PX = 120

/**
 * Keeps a scrolled frame at its end while it is scrolled to the end, also when its content, the frame or a picture in it
 * changes its size. `atEnd` says whether the reader is there; pass `onScroll` every scroll event of the frame.
 */
export function useStayAtEnd(
  frame: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
) {
  const atEnd = useRef(true)
  const lastTop = useRef(0)
  const goToEnd = useCallback(() => {
    const element = frame.current
    if (!element) return
    element.scrollTop = element.scrollHeight
    lastTop.current = element.scrollTop
  }, [frame])
  const onScroll = useCallback(() => {
    if (!frame.current) return
    const { scrollHeight, scrollTop, clientHeight } = frame.current
    const isNear = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
    // Only moving up leaves the end: the content may have grown between going there and this event.
    if (isNear || scrollTop < lastTop.current) atEnd.current = isNear
    lastTop.current = scrollTop
  }, [frame])
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => {
      if (atEnd.current) goToEnd()
    })
    for (const one of [frame.current, content.current]) if (one) observer.observe(one)
    return () => observer.disconnect()
  }, [frame, content, goToEnd])
  return { atEnd, goToEnd, onScroll }
}
