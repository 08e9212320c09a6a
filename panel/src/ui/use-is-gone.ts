import { useEffect, useRef, type RefObject } from 'react'

/** Whether the component has been removed from the page, for what ends after that. */
export function useIsGone(): RefObject<boolean> {
  const isGone = useRef(false)
  useEffect(() => {
    isGone.current = false
    return () => void (isGone.current = true)
  }, [])
  return isGone
}
