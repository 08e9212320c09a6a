import { useRouter } from '@tanstack/react-router'
import { useRef } from 'react'
import { useFilters } from './filters.ts'

/**
 * Returns a function that opens (true) or closes a part of the page that a search parameter names. Closing it goes back
 * if nothing was visited since it was opened, so that the back button does not stop at the same page twice.
 */
export function useStep(name: string): (open: boolean) => void {
  const { set } = useFilters<string>()
  const { history } = useRouter()
  const openedAt = useRef<number | null>(null)
  const indexNow = () => history.location.state.__TSR_index
  const change = (value: string | undefined) => set({ [name]: value })
  return (open) => {
    if (open) {
      openedAt.current = indexNow() + 1
      change('sim')
    } else if (openedAt.current === indexNow()) history.back()
    else change(undefined)
  }
}
