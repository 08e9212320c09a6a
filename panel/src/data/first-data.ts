import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

/** The maximum wait for data. */
const WAIT_MS = 3000

/**
 * Whether the data that the page asked for first has arrived, or a few seconds have passed. What a page shows less
 * urgently waits for it: a browser sends six requests at a time.
 */
export function useFirstData(): boolean {
  const client = useQueryClient()
  const [hasData, setHasData] = useState(false)
  useEffect(() => {
    if (hasData) return
    const done = () => setHasData(true)
    const check = () => client.isFetching() === 0 && done()
    const timer = setTimeout(done, WAIT_MS)
    const unsubscribe = client.getQueryCache().subscribe(check)
    check()
    return () => {
      clearTimeout(timer)
      unsubscribe()
    }
  }, [client, hasData])
  return hasData
}
