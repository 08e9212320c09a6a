import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { usePhones } from '../../data/queries.ts'
import { findOrCreateFreePhone } from '../../data/trigger-event.ts'
import { usePanel } from '../../shell/page.tsx'
import { useAction } from '../../ui/form.tsx'

/** A phone that is free when it is looked for may be paired a moment later. */
const MAX_ATTEMPTS = 3

/**
 * The simulator phones. If none is unpaired, creates one; a phone that the user deletes is not replaced.
 */
export function usePhonesWithDefault() {
  const { mode } = usePanel()
  const client = useQueryClient()
  const query = usePhones()
  const { error, busy, run } = useAction(async () => {
    await findOrCreateFreePhone()
    await client.invalidateQueries({ queryKey: [mode, 'phones'] })
  })
  /** The unpaired phone of the data shown so far, which may be older than a pairing. */
  const known = useRef<string | null>(null)
  const attempts = useRef(0)
  useEffect(() => {
    if (!query.data || busy || attempts.current >= MAX_ATTEMPTS) return
    const unpaired = query.data.find(({ pairedInstanceIds }) => pairedInstanceIds.length === 0)
    if (unpaired) {
      known.current = unpaired.id
      return
    }
    const isDeleted = known.current !== null && !query.data.some(({ id }) => id === known.current)
    attempts.current = isDeleted ? MAX_ATTEMPTS : attempts.current + 1
    if (!isDeleted) run()
  })
  return { query, error }
}
