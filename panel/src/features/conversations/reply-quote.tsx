import { X } from 'lucide-react'
import type { Message } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { authorOf, summaryOf } from '../messages/message-content.tsx'
import { IconButton } from '../../ui/icon-button.tsx'

/** The message that is being replied to, above the reply field. */
export function ReplyQuote({ message, onRemove }: { message: Message; onRemove: () => void }) {
  return (
    <div className="reply-quote">
      <blockquote className="quoted">
        <strong>{authorOf(message)}</strong>
        <span className="truncate">{summaryOf(message)}</span>
      </blockquote>
      <IconButton icon={X} label={t.conversations.unquote} onClick={onRemove} />
    </div>
  )
}
