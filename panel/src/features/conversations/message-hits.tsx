import type { Instance, Message } from '../../data/api-types.ts'
import { nameOf } from '../../data/chats.ts'
import { useMessageHits } from '../../data/message-hits.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Empty } from '../../ui/controls.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { plainText } from '../../ui/rich-text.tsx'
import { MessengerTime } from '../../ui/time.tsx'
import { markWords } from './mark-words.ts'

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
  const { hits, isText, isLoading, error } = useMessageHits(mode, instances, words)
  if (error !== null && hits.length === 0) return <ErrorBlock error={error} />
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
