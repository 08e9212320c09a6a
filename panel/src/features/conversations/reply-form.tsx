import { SendHorizontal, Smile, StickyNote, X } from 'lucide-react'
import { Suspense, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { acceptOf, hasFile, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { EmojiPicker } from '../../ui/emoji-picker.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'
import { useSendLock } from '../messages/send-lock.tsx'
import { AttachMenu, type Writes } from './attach-menu.tsx'
import {
  attachmentOf,
  AttachmentPreviews,
  hasCaption,
  useDrop,
  type Attachment,
} from './attachment.tsx'
import { useDrafts, useKept, useReplyKey } from './draft.ts'
import { KindReply, useKindFields } from './kind-reply.tsx'
import { isOutsideWindow, OutsideWindow } from './outside-window.tsx'
import { ReplyField } from './reply-field.tsx'
import { ReplyQuote } from './reply-quote.tsx'
import { ScheduledNote } from './scheduled-note.tsx'
import { Teammates, useWriting } from './teammates.tsx'
import { useReplySends } from './use-reply-sends.ts'
import { VoiceRecorder } from './voice-recorder.tsx'
import { WaitingTexts } from './waiting-texts.tsx'

// Few replies are templates or scheduled.
const TemplateDialog = lazyPart(
  async () => (await import('../messages/template-dialog.tsx')).TemplateDialog,
)
const ScheduleDialog = lazyPart(async () => (await import('./schedule-dialog.tsx')).ScheduleDialog)

const NO_FILES: Attachment[] = []
/** The fields of a kind that has its own, such as a poll. */
const FIELDS = '.reply-fields :is(input, textarea, select)'

/** The reply form, one line at first: text or a note directly, other types after choosing, pasting or dropping them. */
export function ReplyForm(props: {
  instance: Instance
  conversation: Conversation
  /** Whether the cursor goes to its field at first. */
  focused: boolean
  quoted: Message | null
  onQuote: (message: Message | null) => void
  /** Called with true when something is being sent, and with false if it was refused. */
  onSend: (sending: boolean) => void
}) {
  const { instance, conversation, focused, quoted, onQuote, onSend } = props
  const lock = useSendLock(instance)
  const drafts = useDrafts(conversation.id)
  const [kind, setKind] = useState<Writes>(() =>
    drafts.note[0] && !drafts.message[0] ? 'note' : 'text',
  )
  const [text, setText] = kind === 'note' ? drafts.note : drafts.message
  const [attachments, setAttachments] = useKept(`recado.anexos.${conversation.id}`, NO_FILES)
  const [attachment] = attachments
  const [scheduling, setScheduling] = useState(false)
  const [templating, setTemplating] = useState(false)
  const writing = useWriting(conversation.id)
  const [isRecording, setIsRecording] = useState(false)
  const [voiceError, setVoiceError] = useState<unknown>(null)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const picker = useRef<HTMLInputElement>(null)
  /** The kind that the open file picker was asked for. */
  const picked = useRef<Kind>('document')
  const focus = () => area.current?.focus()
  const isNote = kind === 'note'
  const isText = kind === 'text' || isNote
  // The text of a note, of a message, or the caption of a file.
  const hasText = attachment ? hasCaption(attachment.kind) : isText
  useEffect(() => {
    if (quoted) focus()
  }, [quoted])
  useReplyKey(focus)
  useEffect(() => {
    // On a phone the keyboard would cover the conversation.
    if (focused && matchMedia('(pointer: fine)').matches) focus()
  }, [focused])
  function attach(more: Attachment[]) {
    setKind('text')
    setAttachments((chosen) => [...chosen, ...more])
    window.setTimeout(focus)
  }
  const isUnused = useRef(true)
  useEffect(() => {
    isUnused.current =
      kind === 'text' && !drafts.message[0] && attachments.length === 0 && !isRecording
  })
  const isDraggedOver = useDrop(form, (files) => attach([...files].map(attachmentOf)))
  const restore = { text: drafts.message[1], note: drafts.note[1] }
  const held = { kind, setKind, text, setText, restore, attachments, setAttachments }
  const { error, busy, submit, waiting, voice, unsent } = useReplySends({
    instance,
    conversation,
    quoted,
    onQuote,
    onSend,
    draft: { ...held, hasText, isUnused },
  })
  const { fields, leave, question } = useKindFields(busy)
  /** Writes at the cursor, which stays behind what was written. */
  function insert(words: string) {
    const field = area.current
    const { selectionStart: from = text.length, selectionEnd: to = text.length } = field ?? {}
    // At once, as the next letter is written where the cursor is.
    flushSync(() => setText(text.slice(0, from) + words + text.slice(to)))
    field?.setSelectionRange(from + words.length, from + words.length)
  }
  if (lock) return <div className="reply">{lock}</div>
  const isEmpty = hasText && !attachment && text.trim() === ''
  return (
    <>
      <form
        className="reply"
        data-note={isNote}
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (!isEmpty) submit(new FormData(event.currentTarget))
        }}
        onKeyDownCapture={(event) => {
          const isOpen = form.current?.querySelector('[aria-expanded=true], .reply-offers')
          if (event.key !== 'Escape' || isOpen || (!quoted && kind === 'text')) return
          // The field keeps the focus, and the key does not close the question that it may open.
          event.stopPropagation()
          event.preventDefault()
          if (kind === 'text') return onQuote(null)
          leave(() => {
            setKind('text')
            window.setTimeout(focus)
          })
        }}
        onPaste={(event) => {
          const { files } = event.clipboardData
          if (files.length === 0) return
          event.preventDefault()
          attach([...files].map(attachmentOf))
        }}
      >
        <Teammates conversationId={conversation.id} />
        <ScheduledNote instance={instance} conversation={conversation} />
        {error !== null && !isOutsideWindow(error) && <ErrorBlock error={error} />}
        {isOutsideWindow(error) && <OutsideWindow onTemplate={() => setTemplating(true)} />}
        {voiceError !== null && <ErrorBlock error={voiceError} />}
        {voice.error !== null && unsent && (
          <ErrorBlock error={voice.error} retry={() => voice.run(unsent)} />
        )}
        {waiting.length > 0 && <WaitingTexts texts={waiting} />}
        {quoted && <ReplyQuote message={quoted} onRemove={() => onQuote(null)} />}
        {attachment && (
          <AttachmentPreviews
            attachments={attachments}
            busy={busy}
            onRemove={(one) => setAttachments((chosen) => chosen.filter((other) => other !== one))}
          />
        )}
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          aria-label={t.compose.file}
          onChange={({ currentTarget }) => {
            const kind = picked.current
            attach([...(currentTarget.files ?? [])].map((file) => ({ kind, file })))
            // So that the same file can be chosen again.
            currentTarget.value = ''
          }}
        />
        {!isText && !attachment && <KindReply kind={kind} fields={fields} />}
        <div className="reply-line">
          {!isRecording && (
            <>
              <AttachMenu
                kind={kind}
                onKind={(next) => {
                  if (next !== 'note' && hasFile(next)) {
                    picked.current = next
                    if (!picker.current) return
                    picker.current.accept = acceptOf(next)
                    picker.current.click()
                    return
                  }
                  leave(() => {
                    setAttachments([])
                    setKind(next)
                  })
                }}
                focusAfter={() => form.current?.querySelector<HTMLElement>(FIELDS) ?? area.current}
                onSchedule={() => setScheduling(true)}
                onQuickReply={() =>
                  leave(() => {
                    setKind('text')
                    // The list of quick replies opens for a text that begins with a slash.
                    drafts.message[1]((typed) => (typed === '' ? '/' : typed))
                  })
                }
              />
              {hasText && (
                <EmojiPicker
                  label={t.voice.emoji}
                  onPick={insert}
                  trigger={
                    <button
                      type="button"
                      className="button icon plain wide-only"
                      title={t.voice.emoji}
                      aria-label={t.voice.emoji}
                    >
                      <Smile size={20} aria-hidden />
                    </button>
                  }
                />
              )}
              {hasText && (
                <ReplyField
                  area={area}
                  conversation={conversation}
                  text={text}
                  onText={(words) => {
                    setText(words)
                    if (words) writing()
                  }}
                  onSubmit={() => form.current?.requestSubmit()}
                  isNote={isNote}
                  isCaption={attachment !== undefined}
                />
              )}
              {kind !== 'text' && (
                <IconButton
                  icon={X}
                  label={t.common.cancel}
                  className="button icon"
                  onClick={() => leave(() => setKind('text'))}
                />
              )}
            </>
          )}
          {kind === 'text' && ((isEmpty && !voice.busy) || isRecording) && (
            <VoiceRecorder
              onRecording={(on) => {
                setIsRecording(on)
                setVoiceError(null)
              }}
              onDone={voice.run}
              onError={setVoiceError}
            />
          )}
          {!isRecording && (kind !== 'text' || !isEmpty) && (
            <button
              type="submit"
              className="button primary reply-send"
              disabled={busy}
              title={isNote ? t.teamInbox.saveNote : t.common.send}
              aria-label={isNote ? t.teamInbox.saveNote : t.common.send}
            >
              {isNote ? (
                <StickyNote size={20} aria-hidden />
              ) : (
                <SendHorizontal size={20} aria-hidden />
              )}
            </button>
          )}
        </div>
        {isDraggedOver && <div className="drop-hint">{t.conversations.dropHere}</div>}
      </form>
      {/* Outside the form: browsers do not submit a form within a form as React expects. */}
      {question}
      <Suspense>
        {templating && (
          <TemplateDialog
            instanceId={instance.id}
            conversationId={conversation.id}
            onClose={() => setTemplating(false)}
          />
        )}
        {scheduling && (
          <ScheduleDialog
            instance={instance}
            conversation={conversation}
            text={isNote ? '' : text}
            onClose={() => setScheduling(false)}
            onDone={() => {
              setScheduling(false)
              if (!isNote) setText('')
            }}
          />
        )}
      </Suspense>
    </>
  )
}
