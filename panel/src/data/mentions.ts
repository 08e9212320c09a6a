import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { callPanel, type Mode } from './api.ts'

/** A query of notes, so that a new note refetches it. */
const keyOf = (mode: Mode) => [mode, 'notes', 'mentions'] as const

/** The notes that mention the user and that they have not read, newest first; null until they are loaded. */
export function useMentions(mode: Mode) {
  const { data } = useQuery({
    queryKey: keyOf(mode),
    queryFn: () => callPanel('GET /panel/api/{mode}/mentions', { params: [mode] }),
  })
  return data?.items ?? null
}

/** Returns a function that marks the mentions in a conversation as read. */
export function useReadMentions(mode: Mode): (conversationId: string) => void {
  const client = useQueryClient()
  return useCallback(
    (conversationId) => {
      void callPanel('POST /panel/api/{mode}/mentions/read', {
        params: [mode],
        body: { conversationId },
      })
        .then(() => client.invalidateQueries({ queryKey: keyOf(mode) }))
        // The bell keeps showing them; opening the conversation again retries.
        .catch(() => {})
    },
    [mode, client],
  )
}
