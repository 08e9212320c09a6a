import { useRouter } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useFilters } from './filters.ts'

/**
 * Returns a function that opens (true) or closes a part of the page that a search parameter names. Closing it goes back
 * if nothing was visited since it was opened, so that the back button does not stop at the same page twice.
 */
export function useStep(name: string): (open: boolean) => void {
  const { values, set } = useFilters<string>()
  const { history } = useRouter()
  /** The entry of the history that opened it; its address is known once it is open. */
  const opened = useRef<{ index: number; href: string | null } | null>(null)
  const isOpen = values[name] !== undefined
  useEffect(() => {
    if (isOpen && opened.current?.href === null) opened.current.href = history.location.href
  })
  const indexNow = () => history.location.state.__TSR_index
  const change = (value: string | undefined) => set({ [name]: value })
  return (open) => {
    if (open) {
      opened.current = { index: indexNow() + 1, href: null }
      return change('sim')
    }
    const { index, href } = opened.current ?? {}
    // A search typed meanwhile has replaced the address, and must stay.
    if (index === indexNow() && href === history.location.href) history.back()
    else change(undefined)
  }
}
