import { useQueryClient } from '@tanstack/react-query'
import {
  useEffect,
  useRef,
  useState,
  type Dispatch,
  type RefObject,
  type SetStateAction,
} from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { usePanel } from '../../shell/page.tsx'
import { nameOf } from '../../data/chats.ts'
import { t } from '../../phrases/phrases.ts'
import { rawText, useAction } from '../../ui/form.tsx'
import { notifyFailure } from '../../ui/notify.ts'
import { useIsGone } from '../../ui/use-is-gone.ts'
import { sendFrom } from '../messages/compose.tsx'
import type { Writes } from './attach-menu.tsx'
import type { Attachment } from './attachment.tsx'
import type { Words } from './draft.ts'
import { mentionsIn } from './mentions.ts'
import { useColleagues } from './team-inbox.ts'
import { useTextQueue } from './text-queue.ts'

/** What is being written, and how to change it. */
type Draft = {
  kind: Writes
  setKind: Dispatch<SetStateAction<Writes>>
  text: string
  /** Sets the text of this kind, a note or a message, even after the form is gone. */
  setText: (next: Words) => void
  /** Puts unsent text back into the draft of its kind, even after the form is gone. */
  restore: Record<'text' | 'note', (next: Words) => void>
  /** The files to send, each as a message; the text is the caption of the first. */
  attachments: Attachment[]
  setAttachments: Dispatch<SetStateAction<Attachment[]>>
  /** Whether the text belongs to what is sent: a message, a note, or the caption of the first file. */
  hasText: boolean
  /** Whether nothing else has been begun, neither a message, nor a file, nor a recording; as of now. */
  isUnused: RefObject<boolean>
}

/**
 * Sends what the reply form holds: `submit` a message or a note, `voice` a recording. Texts may be submitted while others
 * are being sent, and are `waiting` until they are stored. A text that was refused returns to its draft, a recording stays
 * in `unsent`; if another conversation has been opened meanwhile, a toast says so.
 */
export function useReplySends(props: {
  instance: Instance
  conversation: Conversation
  quoted: Message | null
  onQuote: (message: Message | null) => void
  onSend: (sending: boolean) => void
  draft: Draft
}) {
  const { instance, conversation, quoted, onQuote, onSend, draft } = props
  const { kind, setKind, text, setText, restore, attachments, setAttachments, hasText, isUnused } =
    draft
  const { mode } = usePanel()
  const client = useQueryClient()
  const team = useColleagues()
  async function save(what: Writes, data: FormData, quote: Message | null) {
    if (what === 'note') {
      const note = rawText(data, 'text').trim()
      await callApi(mode, 'POST /v1/instances/{id}/conversations/{conversationId}/notes', {
        params: [instance.id, conversation.id],
        body: { text: note, mentions: mentionsIn(note, team).map(({ id }) => id) },
      })
      return client.invalidateQueries({ queryKey: [mode, 'notes'] })
    }
    const to = {
      conversationId: conversation.id,
      ...(quote ? { quotedWaMessageId: quote.waMessageId } : {}),
    }
    await sendFrom(mode, instance.id, to, { kind: what, form: data })
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  const isGone = useIsGone()
  function refuse(failure: unknown): void {
    onSend(false)
    if (!isGone.current) return
    const why = failure instanceof Error ? failure.message : String(failure)
    notifyFailure(t.conversations.notSentTo(nameOf(conversation), why))
  }
  const [textError, setTextError] = useState<unknown>(null)
  const quotedNow = useRef(quoted)
  useEffect(() => {
    quotedNow.current = quoted
  })
  const texts = useTextQueue(conversation.id, {
    async send({ what, text: said, quoted: quote }) {
      const data = new FormData()
      data.set('text', said)
      onSend(true)
      await save(what, data, quote)
    },
    onUnsent(unsent, failure) {
      for (const part of ['text', 'note'] as const) {
        const parts = unsent.filter(({ what }) => what === part)
        const words = parts.map(({ text: said }) => said)
        if (words.length > 0) restore[part]((typed) => [...words, typed].filter(Boolean).join('\n'))
        const quote = parts[0]?.quoted
        if (quote && !quotedNow.current) onQuote(quote)
      }
      if (unsent[0]?.what === 'note') setKind((current) => (isUnused.current ? 'note' : current))
      if (failure === null) return
      setTextError(failure)
      refuse(failure)
    },
  })
  const { error, busy, run, clear } = useAction(async (data: FormData) => {
    // Cleared at once: text typed while sending belongs to the next message.
    let unsentText = hasText ? text : ''
    const caption = unsentText
    if (hasText) setText('')
    onSend(true)
    try {
      const files = attachments
      if (files.length === 0) await save(kind, data, quoted)
      for (const attachment of files) {
        const isFirst = attachment === files[0]
        data.set('file', attachment.file)
        data.set('caption', isFirst ? caption : '')
        await save(attachment.kind, data, isFirst ? quoted : null)
        onQuote(null)
        // What was sent is not sent again after a later file was refused.
        unsentText = ''
        setAttachments((chosen) => chosen.filter((one) => one !== attachment))
      }
    } catch (failure) {
      setText((typed) => [unsentText, typed].filter(Boolean).join('\n'))
      refuse(failure)
      throw failure
    }
    onQuote(null)
    // The fields of another kind, such as a poll, stay until it is sent; a kind chosen meanwhile stays, too.
    setKind((current) => (current === kind ? 'text' : current))
  })
  function submit(data: FormData): void {
    setTextError(null)
    clear()
    if (kind === 'note' || (kind === 'text' && attachments.length === 0)) {
      texts.submit({ what: kind, text, quoted: kind === 'note' ? null : quoted })
      setText('')
      if (kind === 'note') setKind('text')
      else onQuote(null)
    } else run(data)
  }
  // Apart from the form, so that a note is neither dropped while a text is sent nor clears the text.
  const [unsent, setUnsent] = useState<File | null>(null)
  const voice = useAction(async (note: File) => {
    setUnsent(note)
    const data = new FormData()
    data.set('file', note)
    data.set('voice', 'on')
    onSend(true)
    try {
      await save('audio', data, quoted)
    } catch (failure) {
      refuse(failure)
      throw failure
    }
    onQuote(null)
    setUnsent(null)
  })
  return { error: textError ?? error, busy, submit, waiting: texts.waiting, voice, unsent }
}
