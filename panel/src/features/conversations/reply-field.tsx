import { useEffect, useId, useRef, useState, type RefObject } from 'react'
import { Link } from '@tanstack/react-router'
import type { Conversation, QuickReply } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { QuickReplyList } from './quick-reply-list.tsx'
import { fillQuickReply, matchQuickReplies, useQuickReplies } from './team-inbox.ts'

const MAX_HEIGHT_PX = 160

/** The text field of the reply form: Enter sends, a slash offers quick replies, and the field grows with its text. */
export function ReplyField(props: {
  area: RefObject<HTMLTextAreaElement | null>
  conversation: Conversation
  text: string
  onText: (text: string) => void
  onSubmit: () => void
  /** Whether the text becomes a note of the team. */
  isNote: boolean
  /** Whether it becomes the caption of a file. */
  isCaption: boolean
}) {
  const { area, conversation, text, onText, onSubmit, isNote, isCaption } = props
  const { modo } = usePanel()
  const id = useId()
  const [active, setActive] = useState(0)
  const [dismissed, setDismissed] = useState(false)
  const typed = useRef(text)
  const replies = useQuickReplies().data?.items ?? []
  const offers = text.startsWith('/') && !isNote && !dismissed && replies.length > 0
  const found = offers ? matchQuickReplies(replies, text) : []
  const at = Math.min(active, Math.max(0, found.length - 1))
  useEffect(() => {
    if (typed.current !== text) setActive(0)
    typed.current = text
    if (!text.startsWith('/')) setDismissed(false)
  }, [text])
  useEffect(() => {
    const element = area.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight + 2, MAX_HEIGHT_PX)}px`
  }, [area, text])
  function choose(reply: QuickReply) {
    onText(fillQuickReply(reply.text, conversation.contact))
    area.current?.focus()
  }
  function handleKeyDown(event: React.KeyboardEvent) {
    // During IME composition, Enter confirms the composition.
    if (event.nativeEvent.isComposing) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (offers && step !== undefined && found.length > 0) {
      event.preventDefault()
      setActive((at + step + found.length) % found.length)
    } else if (offers && event.key === 'Escape') {
      event.preventDefault()
      setDismissed(true)
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      const reply = found[at]
      if (reply) choose(reply)
      else onSubmit()
    }
  }
  return (
    <div className="reply-field">
      {offers && (
        <div className="reply-offers">
          <QuickReplyList id={id} replies={found} active={at} onChoose={choose} />
          <Link to="/$modo/respostas" params={{ modo }} className="reply-manage">
            {t.teamInbox.manageReplies}
          </Link>
        </div>
      )}
      <textarea
        ref={area}
        name="text"
        rows={1}
        autoComplete="off"
        aria-label={isNote ? t.teamInbox.note : t.conversations.write}
        placeholder={
          isNote ? t.teamInbox.writeNote : isCaption ? t.compose.caption : t.conversations.write
        }
        title={isNote ? undefined : `${t.conversations.enter}. ${t.teamInbox.quickReplyHint}.`}
        value={text}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={handleKeyDown}
        {...(offers
          ? ({
              'aria-controls': id,
              'aria-autocomplete': 'list',
              'aria-activedescendant': found[at] ? `${id}-${at}` : undefined,
            } as const)
          : {})}
      />
    </div>
  )
}
