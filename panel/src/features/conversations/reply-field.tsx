import { useEffect, useId, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { Link } from '@tanstack/react-router'
import type { Conversation } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { completeMention, handleOf, matchMention } from './mentions.ts'
import { OfferList, type Offer } from './offer-list.tsx'
import { fillQuickReply, matchQuickReplies, useColleagues, useQuickReplies } from './team-inbox.ts'

const MAX_HEIGHT_PX = 160

/**
 * The text field of the reply form, which grows with its text. Enter sends; a slash offers quick replies, and in a note
 * an at sign offers members to mention.
 */
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
  const team = useColleagues()
  const [cursor, setCursor] = useState(0)
  const complete = (words: string, position = words.length) => {
    // At once: a letter typed before the cursor is placed would be left behind it.
    flushSync(() => onText(words))
    area.current?.focus()
    area.current?.setSelectionRange(position, position)
  }
  const before = text.slice(0, cursor)
  const mentioned: Offer[] = matchMention(before, team).map((person) => ({
    id: person.id,
    head: handleOf(person, team),
    detail: person.email,
    choose() {
      const completed = completeMention(before, handleOf(person, team))
      setCursor(completed.length)
      complete(completed + text.slice(cursor), completed.length)
    },
  }))
  const replied: Offer[] = matchQuickReplies(replies, text).map((reply) => ({
    id: reply.id,
    head: `/${reply.shortcut}`,
    detail: reply.text,
    choose: () => complete(fillQuickReply(reply.text, conversation.contact)),
  }))
  const found = isNote ? mentioned : replied
  const asked = isNote ? mentioned.length > 0 : text.startsWith('/') && replies.length > 0
  const offers = asked && !dismissed
  const at = Math.min(active, Math.max(0, found.length - 1))
  useEffect(() => {
    if (typed.current !== text) setActive(0)
    typed.current = text
    if (!asked) setDismissed(false)
  }, [text, asked])
  useEffect(() => {
    const element = area.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight + 2, MAX_HEIGHT_PX)}px`
  }, [area, text])
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
    } else if (event.key === 'Escape') {
      // Leaves the field, so that the keys of the inbox work again.
      area.current?.blur()
    } else if (event.key === 'Enter' && !event.shiftKey) {
      const offer = offers ? found[at] : undefined
      // The keyboard of a phone has no Shift+Enter for a new line: the button sends.
      if (!offer && matchMedia('(pointer: coarse)').matches) return
      event.preventDefault()
      if (offer) offer.choose()
      else onSubmit()
    }
  }
  return (
    <div className="reply-field">
      {offers && (
        <div className="reply-offers">
          <OfferList
            id={id}
            label={isNote ? t.teamInbox.mention : t.quickReplies.title}
            offers={found}
            active={at}
          />
          {!isNote && (
            <Link to="/$modo/respostas" params={{ modo }} className="reply-manage">
              {t.teamInbox.manageReplies}
            </Link>
          )}
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
        title={
          isNote
            ? t.teamInbox.mentionHint
            : `${t.conversations.enter}. ${t.teamInbox.quickReplyHint}.`
        }
        value={text}
        onChange={(event) => onText(event.target.value)}
        // Also called after typing.
        onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
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
