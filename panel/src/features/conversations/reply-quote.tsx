import { X } from 'lucide-react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { authorOf, summaryOf } from '../messages/message-content.tsx'

/** The message that is being replied to, above the reply field. */
export function ReplyQuote({ message, onRemove }: { message: Message; onRemove: () => void }) {
  return (
    <div className="reply-quote">
      <blockquote className="quoted">
        <strong>{authorOf(message)}</strong>
        <span className="truncate">{summaryOf(message)}</span>
      </blockquote>
      <button
        type="button"
        className="button icon plain"
        title={t.conversations.unquote}
        aria-label={t.conversations.unquote}
        onClick={onRemove}
      >
        <X size={16} aria-hidden />
      </button>
    </div>
  )
}
