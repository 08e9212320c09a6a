import { useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Info } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { patchConversation } from '../../data/chats.ts'
import { useMentions, useReadMentions } from '../../data/mentions.ts'
import { chatPicture } from '../../data/pictures.ts'
import { t } from '../../phrases/phrases.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Load } from '../../ui/load.tsx'
import { nameOf } from '../../data/chats.ts'
import { usePanel } from '../../shell/page.tsx'
import { formatPhone } from '../../ui/phone-number.ts'
import { useFirstUnread } from './first-unread.ts'
import { MessageList } from './message-list.tsx'
import { PinnedBar } from './pinned-bar.tsx'
import { ReplyForm } from './reply-form.tsx'
import { useCalls, useNotes } from './team-inbox.ts'
import type { Aside } from './thread-block.tsx'
import { useKept } from './draft.ts'
import { ThreadTeam } from './thread-team.tsx'
import { useThreadPages } from './use-thread-pages.ts'

/** Pages that are loaded to find a message before the user is asked whether to continue. */
const SEARCHED_PAGES = 20

/** One conversation, oldest message first, with the reply form. Marks it as read while the page is visible. */
export function Thread(props: {
  instance: Instance
  conversation: Conversation
  /** The id of a message to open the conversation at. */
  wanted: string | undefined
  /** Whether the cursor goes to the reply field. */
  focused: boolean
  /** Whether the details are shown beside it. */
  detailed: boolean
  onDetails: () => void
  /** The conversation was finished, and leaves the list. */
  onDone: () => void
  onClose: () => void
}) {
  const { instance, conversation, wanted, focused, detailed, onDetails, onDone, onClose } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  const [quoted, setQuoted] = useKept<Message | null>(`recado.citada.${conversation.id}`, null)
  const sent = useRef(false)
  const { newest, pages, hasMore, isLoadingMore, isFailed, setNear, loadMore } = useThreadPages(
    instance,
    conversation,
  )
  const unread = useFirstUnread(conversation, pages)
  // The message that a search led to, or the one that a reply quotes.
  const [jump, setJump] = useState<{ to: string; turn: number } | null>(null)
  useEffect(() => setJump(null), [wanted])
  const goTo = useCallback((to: string) => {
    setJump((before) => ({ to, turn: (before?.turn ?? 0) + 1 }))
  }, [])
  const aim = pages
    .flatMap(({ messages }) => messages)
    .find(({ id, waMessageId }) => (jump ? waMessageId === jump.to : id === wanted))?.id
  const isSearching = aim === undefined && (jump !== null || wanted !== undefined)
  const [maxPages, setMaxPages] = useState(SEARCHED_PAGES)
  const isFar = isSearching && pages.length >= maxPages && hasMore
  const isMissing = isSearching && !isFar && pages.length > 0 && !hasMore && !isLoadingMore
  useEffect(() => {
    if (!isSearching || pages.length >= maxPages) return
    if (hasMore && !isLoadingMore && !isFailed) loadMore()
  }, [isSearching, pages, maxPages, hasMore, isLoadingMore, isFailed, loadMore])
  const asides = useAsides(instance, conversation)
  const { unreadCount, chat, contact } = conversation
  /** Whether the user is marking the conversation as unread, and about to leave it. */
  const staysUnread = useRef(false)
  useEffect(() => {
    function read() {
      // A hidden page does not mark messages as read.
      if (unreadCount === 0 || document.hidden || staysUnread.current) return
      void callApi(mode, 'POST /v1/instances/{id}/messages/read', {
        params: [instance.id],
        body: { conversationId: conversation.id },
      })
        .then(() => patchConversation(client, conversation.id, { unreadCount: 0 }))
        .then(() => client.invalidateQueries({ queryKey: [mode, 'conversations'] }))
        // Retried on the next message, or when the page becomes visible.
        .catch(() => {})
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [mode, client, instance.id, conversation.id, unreadCount])
  const isMentioned =
    useMentions(mode)?.some(({ conversationId }) => conversationId === conversation.id) ?? false
  const readMentions = useReadMentions(mode)
  useEffect(() => {
    const read = () => {
      if (isMentioned && !document.hidden) readMentions(conversation.id)
    }
    read()
    document.addEventListener('visibilitychange', read)
    return () => document.removeEventListener('visibilitychange', read)
  }, [isMentioned, readMentions, conversation.id])
  const name = nameOf(conversation)
  return (
    <section className="inbox-thread" aria-labelledby="conversa">
      <header className="inbox-head">
        <button
          type="button"
          className="button narrow-only"
          aria-label={t.common.back}
          onClick={onClose}
        >
          <ArrowLeft size={16} aria-hidden />
        </button>
        <Avatar id={chat.id} name={name} picture={chatPicture(mode, instance, conversation)} />
        <div className="inbox-who">
          <h2 id="conversa" className="truncate">
            {name}
          </h2>
          {contact?.phone && formatPhone(contact.phone) !== name && (
            <small className="quiet">{formatPhone(contact.phone)}</small>
          )}
        </div>
        <ThreadTeam
          conversation={conversation}
          onDone={onDone}
          onUnread={(isUnread) => {
            staysUnread.current = isUnread
          }}
          onClose={onClose}
        />
        <button
          type="button"
          className="button icon"
          aria-pressed={detailed}
          aria-label={t.conversations.about}
          title={t.conversations.about}
          onClick={onDetails}
        >
          <Info size={16} aria-hidden />
        </button>
      </header>
      <PinnedBar conversation={conversation} onGo={goTo} />
      {(isFar || isMissing) && !newest.isPending && (
        <div className="stale" role="status">
          <span>{isFar ? t.conversations.far : t.conversations.missing}</span>
          {isFar && (
            <button
              type="button"
              className="button"
              onClick={() => setMaxPages(pages.length + SEARCHED_PAGES)}
            >
              {t.conversations.searchOn}
            </button>
          )}
        </div>
      )}
      <Load query={newest}>
        {() => (
          <MessageList
            pages={pages}
            asides={asides}
            instanceId={instance.id}
            more={hasMore || isFailed || isLoadingMore ? loadMore : null}
            wanted={aim}
            firstUnread={unread.first}
            turn={jump?.turn ?? 0}
            onGo={goTo}
            onNear={setNear}
            onQuote={setQuoted}
            sent={sent}
          />
        )}
      </Load>
      <ReplyForm
        instance={instance}
        conversation={conversation}
        focused={focused}
        quoted={quoted}
        onQuote={setQuoted}
        onSend={(sending) => {
          sent.current = sending
          if (sending) unread.clear()
        }}
      />
    </section>
  )
}

/** The notes and calls of the conversation. */
function useAsides(instance: Instance, conversation: Conversation): Aside[] {
  const { data: notes } = useNotes(instance, conversation)
  const { data: calls } = useCalls(instance, conversation)
  return useMemo(
    () => [
      ...(notes?.items ?? []).map((note) => ({ id: note.id, createdAt: note.createdAt, note })),
      ...(calls?.items ?? []).map((call) => ({ id: call.id, createdAt: call.at, call })),
    ],
    [notes, calls],
  )
}
