import { useQueries } from '@tanstack/react-query'
import { callApi, type Mode } from './api.ts'
import type { Instance, Message } from './api-types.ts'

const PER_INSTANCE = 20
const SHOWN = 30
/** A search in more instances than this would ask too much at once. */
const MAX_INSTANCES = 20
const MIN_LENGTH = 3

/**
 * Messages that contain these words, newest first, from all of these instances. `isText` is false for words that are
 * searched for among people only: numbers, and those that are too short.
 */
export function useMessageHits(
  mode: Mode,
  instances: Instance[],
  words: string,
): { hits: Message[]; isText: boolean; isLoading: boolean; error: unknown } {
  const q = words.trim()
  const isText = q.length >= MIN_LENGTH && /\p{L}/u.test(q)
  const found = useQueries({
    queries: instances.slice(0, MAX_INSTANCES).map(({ id }) => ({
      // Not refetched with every message: a search shows what was found.
      queryKey: [mode, 'hits', id, q],
      queryFn: () =>
        callApi(mode, 'GET /v1/instances/{id}/messages', {
          params: [id],
          query: { q, limit: PER_INSTANCE },
        }),
      enabled: isText,
    })),
    combine: (results) => ({
      hits: results
        .flatMap(({ data }) => data?.items ?? [])
        .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
        .slice(0, SHOWN),
      isLoading: results.some((result) => result.isLoading),
      error: results.find((result) => result.error !== null)?.error ?? null,
    }),
  })
  return { ...found, isText }
}
