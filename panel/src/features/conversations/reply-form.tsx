import { useQueryClient } from '@tanstack/react-query'
import { Paperclip, SendHorizontal, X } from 'lucide-react'
import { useEffect, useRef, useState, type ClipboardEvent, type DragEvent } from 'react'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { hasFile, KindFields, KINDS, sendFrom, type Kind } from '../messages/compose.tsx'
import { t } from '../../phrases/phrases.ts'
import { ErrorBlock } from '../../ui/error-block.tsx'
import { useAction } from '../../ui/form.tsx'
import { summaryOf } from '../messages/message-content.tsx'
import { usePanel } from '../../shell/page.tsx'
import { useSendLock } from '../messages/send-lock.tsx'

/** Message types to choose from; a reaction belongs to a message and has its button there. */
const ATTACHED = KINDS.filter((kind) => kind !== 'reaction')
const MAX_HEIGHT_PX = 160

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

/** The reply form, one line at first: text directly, other types after choosing, pasting or dropping them. */
export function ReplyForm(props: {
  instance: Instance
  conversation: Conversation
  quoted: Message | null
  onQuote: (message: Message | null) => void
  /** Called with true when a message is being sent, and with false if it was refused. */
  onSend: (sending: boolean) => void
}) {
  const { instance, conversation, quoted, onQuote, onSend } = props
  const { mode } = usePanel()
  const lock = useSendLock(instance)
  const client = useQueryClient()
  const [text, setText] = useDraft(conversation.id)
  const [kind, setKind] = useState<Kind>('text')
  const [file, setFile] = useState<File | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const area = useRef<HTMLTextAreaElement>(null)
  const focus = () => area.current?.focus()
  useEffect(() => {
    if (quoted) focus()
  }, [quoted])
  useReplyKey(form, focus)
  // The field grows with its text, up to a few lines.
  useEffect(() => {
    const element = area.current
    if (!element) return
    element.style.height = 'auto'
    element.style.height = `${Math.min(element.scrollHeight + 2, MAX_HEIGHT_PX)}px`
  }, [text, kind])
  // A pasted or dropped file goes into the field for files, once that is there.
  useEffect(() => {
    const input = form.current?.querySelector<HTMLInputElement>('input[type=file]')
    if (!file || !input) return
    const transfer = new DataTransfer()
    transfer.items.add(file)
    input.files = transfer.files
    setFile(null)
  }, [file, kind])
  const { error, busy, run } = useAction(async (data: FormData) => {
    const quote = quoted ? { quotedWaMessageId: quoted.waMessageId } : {}
    const to = { conversationId: conversation.id, ...quote }
    // Cleared at once: text typed while sending belongs to the next message.
    const sent = text
    if (kind === 'text') setText('')
    onSend(true)
    try {
      await sendFrom(mode, instance.id, to, { kind, form: data })
    } catch (failure) {
      onSend(false)
      if (kind === 'text') setText((typed) => (typed ? typed : sent))
      throw failure
    }
    setKind('text')
    onQuote(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  })
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
      ref={form}
      onSubmit={(event) => {
        event.preventDefault()
        run(new FormData(event.currentTarget))
      }}
      onPaste={(event) => takeFile(event, event.clipboardData.files)}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => takeFile(event, event.dataTransfer.files)}
    >
      {error !== null && <ErrorBlock error={error} />}
      {quoted && (
        <div className="spread">
          <blockquote className="quoted">{summaryOf(quoted)}</blockquote>
          <button type="button" className="button" onClick={() => onQuote(null)}>
            {t.conversations.unquote}
          </button>
        </div>
      )}
      {kind !== 'text' && (
        <div className="reply-fields">
          <KindFields kind={kind} />
        </div>
      )}
      <div className="reply-line">
        <span className="reply-attach">
          <Paperclip size={20} aria-hidden />
          <select
            aria-label={t.conversations.attach}
            title={t.conversations.attach}
            value={kind}
            onChange={(event) => {
              setKind(ATTACHED.find((one) => one === event.target.value) ?? 'text')
            }}
          >
            {ATTACHED.map((one) => (
              <option key={one} value={one}>
                {hasFile(one) ? `${t.kinds[one]}…` : t.kinds[one]}
              </option>
            ))}
          </select>
        </span>
        {kind === 'text' ? (
          <textarea
            ref={area}
            name="text"
            rows={1}
            autoComplete="off"
            aria-label={t.conversations.write}
            placeholder={t.conversations.write}
            title={t.conversations.enter}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onKeyDown={(event) => {
              // During IME composition, Enter confirms the composition.
              if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
              event.preventDefault()
              if (text.trim()) form.current?.requestSubmit()
            }}
            required
          />
        ) : (
          <button type="button" className="button" onClick={() => setKind('text')}>
            <X size={16} aria-hidden /> {t.common.cancel}
          </button>
        )}
        <button
          type="submit"
          className="button primary reply-send"
          disabled={busy}
          title={t.common.send}
          aria-label={t.common.send}
        >
          <SendHorizontal size={20} aria-hidden />
        </button>
      </div>
    </form>
  )
}
