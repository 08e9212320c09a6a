import { useQueryClient } from '@tanstack/react-query'
import { SendHorizontal, Smile, StickyNote, X } from 'lucide-react'
import { useEffect, useRef, useState, type ClipboardEvent, type DragEvent } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { KindFields, sendFrom, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { EmojiPicker } from '../../ui/emoji-picker.tsx'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { summaryOf } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { useSendLock } from '../messages/send-lock.tsx'
import { AttachMenu, type Writes } from './attach-menu.tsx'
import { ReplyField } from './reply-field.tsx'
import { ScheduleDialog } from './schedule-dialog.tsx'
import { Teammates, useWriting } from './teammates.tsx'
import { VoiceRecorder } from './voice-recorder.tsx'

/** The unsent text of each conversation, kept while the tab is open. */
function useDraft(conversationId: string) {
  const key = `recado.rascunho.${conversationId}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => {
    if (text) sessionStorage.setItem(key, text)
    else sessionStorage.removeItem(key)
  }, [key, text])
  return [text, setText] as const
}

const kindOfFile = ({ type }: File): Kind => {
  const [group] = type.split('/')
  return group === 'image' || group === 'video' || group === 'audio' ? group : 'document'
}

/** r focuses the reply field while the focus is inside the panes, but not in a text field. */
function useReplyKey(frame: React.RefObject<HTMLElement | null>, focus: () => void) {
  useEffect(() => {
    function handleKeyDown(event: KeyboardEvent) {
      const { key, target, ctrlKey, metaKey } = event
      const writes = target instanceof Element && target.closest('input, textarea, select, dialog')
      if (key !== 'r' || writes || ctrlKey || metaKey) return
      event.preventDefault()
      focus()
    }
    const element = frame.current?.closest<HTMLElement>('.inbox')
    element?.addEventListener('keydown', handleKeyDown)
    return () => element?.removeEventListener('keydown', handleKeyDown)
  }, [])
}

/** The reply form, one line at first: text or a note directly, other types after choosing, pasting or dropping them. */
export function ReplyForm(props: {
  instance: Instance
  conversation: Conversation
  quoted: Message | null
  onQuote: (message: Message | null) => void
  /** Called with true when something is being sent, and with false if it was refused. */
  onSend: (sending: boolean) => void
}) {
  const { instance, conversation, quoted, onQuote, onSend } = props
  const { mode } = usePanel()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const [text, setText] = useDraft(conversation.id)
  const [kind, setKind] = useState<Writes>('text')
  const [file, setFile] = useState<File | null>(null)
  const [scheduling, setScheduling] = useState(false)
  const writing = useWriting(conversation.id)
  const [isRecording, setIsRecording] = useState(false)
  const [voiceError, setVoiceError] = useState<unknown>(null)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const focus = () => area.current?.focus()
  const isNote = kind === 'note'
  const isText = kind === 'text' || isNote
  useEffect(() => {
    if (quoted) focus()
  }, [quoted])
  useReplyKey(form, focus)
  // A pasted or dropped file goes into the field for files, once that is there.
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>('input[type=file]')
    if (!file || !input) return
    const transfer = new DataTransfer()
    transfer.items.add(file)
    input.files = transfer.files
    setFile(null)
  }, [file, kind])
  async function save(what: Writes, data: FormData) {
    if (what === 'note') {
      await callApi(mode, 'POST /v1/instances/{id}/conversations/{conversationId}/notes', {
        params: [instance.id, conversation.id],
        body: { text: text.trim() },
      })
      return client.invalidateQueries({ queryKey: [mode, 'notes'] })
    }
    const quote = quoted ? { quotedWaMessageId: quoted.waMessageId } : {}
    const to = { conversationId: conversation.id, ...quote }
    await sendFrom(mode, instance.id, to, { kind: what, form: data })
    onQuote(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  const { error, busy, run } = useAction(async (data: FormData) => {
    // Cleared at once: text typed while sending belongs to the next message.
    const sent = text
    if (isText) setText('')
    onSend(true)
    try {
      await save(kind, data)
    } catch (failure) {
      onSend(false)
      if (isText) setText((typed) => (typed ? typed : sent))
      throw failure
    }
    setKind('text')
  })
  // Apart from the form, so that a note is neither dropped while a text is sent nor clears the text.
  const [unsent, setUnsent] = useState<File | null>(null)
  const voice = useAction(async (note: File) => {
    setUnsent(note)
    const data = new FormData()
    data.set('file', note)
    data.set('voice', 'on')
    onSend(true)
    try {
      await save('audio', data)
    } catch (failure) {
      onSend(false)
      throw failure
    }
    setUnsent(null)
  })
  /** Writes at the cursor, which stays behind what was written. */
  function insert(words: string) {
    const field = area.current
    const { selectionStart: from = text.length, selectionEnd: to = text.length } = field ?? {}
    setText(text.slice(0, from) + words + text.slice(to))
    window.setTimeout(() => field?.setSelectionRange(from + words.length, from + words.length))
  }
  if (lock) return <div className="reply">{lock}</div>
  function takeFile(event: ClipboardEvent | DragEvent, files: FileList | undefined) {
    const [first] = files ?? []
    if (!first) return
    event.preventDefault()
    setKind(kindOfFile(first))
    setFile(first)
  }
  return (
    <form
      className="reply"
      data-note={isNote}
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        run(new FormData(event.currentTarget))
      }}
      onPaste={(event) => takeFile(event, event.clipboardData.files)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => takeFile(event, event.dataTransfer.files)}
    >
      <Teammates conversationId={conversation.id} />
      {error !== null && <ErrorBlock error={error} />}
      {voiceError !== null && <ErrorBlock error={voiceError} />}
      {voice.error !== null && unsent && (
        <ErrorBlock error={voice.error} retry={() => voice.run(unsent)} />
      )}
      {quoted && (
        <div className="spread">
          <blockquote className="quoted">{summaryOf(quoted)}</blockquote>
          <button type="button" className="button" onClick={() => onQuote(null)}>
            {t.conversations.unquote}
          </button>
        </div>
      )}
      {!isText && (
        <div className="reply-fields">
          <KindFields kind={kind} />
        </div>
      )}
      <div className="reply-line">
        {!isRecording && (
          <>
            <AttachMenu
              kind={kind}
              onKind={(next) => {
                setKind(next)
                if (next === 'note') focus()
              }}
              onSchedule={() => setScheduling(true)}
              onQuickReply={() => {
                setKind('text')
                setText('/')
                focus()
              }}
            />
            {isText && (
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
            {isText && (
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
              />
            )}
            {kind !== 'text' && (
              <button
                type="button"
                className="button icon"
                title={t.common.cancel}
                aria-label={t.common.cancel}
                onClick={() => setKind('text')}
              >
                <X size={16} aria-hidden />
              </button>
            )}
          </>
        )}
        {kind === 'text' && ((text === '' && !voice.busy) || isRecording) && (
          <VoiceRecorder
            onRecording={(on) => {
              setIsRecording(on)
              setVoiceError(null)
            }}
            onDone={voice.run}
            onError={setVoiceError}
          />
        )}
        {!isRecording && (
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
      {scheduling && (
        <ScheduleDialog
          instance={instance}
          conversation={conversation}
          text={isNote ? '' : text}
          onClose={() => setScheduling(false)}
          onDone={() => {
            setScheduling(false)
            setText('')
          }}
        />
      )}
    </form>
  )
}
