import { useQueries } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import type { Instance, Message } from '../../data/api-types.ts'
import { nameOf } from '../../data/chats.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Empty } from '../../ui/controls.tsx'
import { plainText } from '../../ui/rich-text.tsx'
import { MessengerTime } from '../../ui/time.tsx'
import { markWords } from './mark-words.ts'

const PER_INSTANCE = 20
const SHOWN = 30
/** A search in more instances than this would ask too much at once. */
const MAX_INSTANCES = 20
const MIN_LENGTH = 3

/** Messages that contain the words of a search, newest first; one opens its conversation at that place. */
export function MessageHits(props: {
  instances: Instance[]
  words: string
  open: string | undefined
  /** Whether the search found no person either. */
  alone: boolean
  onChoose: (message: Message) => void
}) {
  const { instances, words, open, alone, onChoose } = props
  const { mode } = usePanel()
  const q = words.trim()
  // Numbers are searched for among people.
  const isText = q.length >= MIN_LENGTH && /\p{L}/u.test(q)
  const { hits, isLoading } = useQueries({
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
    }),
  })
  if (!isText || hits.length === 0) {
    return alone && !isLoading ? <Empty text={t.conversations.noneFound} /> : null
  }
  return (
    <section className="inbox-hits" aria-label={t.conversations.inMessages}>
      <strong>{t.conversations.inMessages}</strong>
      <ul>
        {hits.map((hit) => (
          <li key={hit.id}>
            <button
              type="button"
              aria-current={hit.id === open ? 'true' : undefined}
              onClick={() => onChoose(hit)}
            >
              <span className="spread">
                <span className="truncate">
                  {nameOf({
                    chat: hit.chat,
                    contact: hit.direction === 'inbound' ? hit.from : hit.to,
                  })}
                </span>
                <small className="quiet">
                  <MessengerTime at={hit.createdAt} />
                </small>
              </span>
              <span className="quiet inbox-hit">
                {markWords(plainText(hit.text ?? ''), q).map(({ text, found }, index) =>
                  found ? <mark key={index}>{text}</mark> : text,
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
