import type { QuickReply } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'

/** The quick replies that match what is typed, above the reply field, which keeps the focus. */
export function QuickReplyList(props: {
  id: string
  replies: QuickReply[]
  /** The index that Enter takes. */
  active: number
  onChoose: (reply: QuickReply) => void
}) {
  const { id, replies, active, onChoose } = props
  return (
    <ul className="menu quick-replies" role="listbox" id={id} aria-label={t.quickReplies.title}>
      {replies.map((reply, index) => (
        <li
          key={reply.id}
          id={`${id}-${index}`}
          className="menu-item"
          role="option"
          aria-selected={index === active}
          // The field would lose the focus before the click.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(reply)}
        >
          <code>/{reply.shortcut}</code> <span className="truncate quiet">{reply.text}</span>
        </li>
      ))}
      {replies.length === 0 && <li className="menu-item quiet">{t.teamInbox.noMatch}</li>}
    </ul>
  )
}
