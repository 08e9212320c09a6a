import { useQueryClient } from '@tanstack/react-query'
import { useState, type Dispatch, type SetStateAction } from 'react'
import { callApi } from '../../data/api.ts'
import type { Conversation, Instance, Message } from '../../data/api-types.ts'
import { usePanel } from '../../shell/page.tsx'
import { rawText, useAction } from '../../ui/form.tsx'
import { sendFrom } from '../messages/compose.tsx'
import type { Writes } from './attach-menu.tsx'
import type { Attachment } from './attachment.tsx'
import { mentionsIn } from './mentions.ts'
import { useColleagues } from './team-inbox.ts'

/** What is being written, and how to change it. */
type Draft = {
  kind: Writes
  setKind: (kind: Writes) => void
  text: string
  setText: (next: string | ((typed: string) => string)) => void
  attachment: Attachment | null
  setAttachment: Dispatch<SetStateAction<Attachment | null>>
  /** Whether the text belongs to what is sent: a message, a note, or the caption of a file. */
  hasText: boolean
}

/**
 * Sends what the reply form holds: `run` a message or a note, `voice` a recording. The recording that was refused stays in
 * `unsent`.
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
  const { kind, setKind, text, setText, attachment, setAttachment, hasText } = draft
  const { mode } = usePanel()
  const client = useQueryClient()
  const team = useColleagues()
  async function save(what: Writes, data: FormData) {
    if (what === 'note') {
      const note = rawText(data, 'text').trim()
      await callApi(mode, 'POST /v1/instances/{id}/conversations/{conversationId}/notes', {
        params: [instance.id, conversation.id],
        body: { text: note, mentions: mentionsIn(note, team).map(({ id }) => id) },
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
    if (attachment) {
      data.set('file', attachment.file)
      if (hasText) data.set('caption', text)
    }
    if (hasText) setText('')
    onSend(true)
    try {
      await save(attachment?.kind ?? kind, data)
    } catch (failure) {
      onSend(false)
      if (hasText) setText((typed) => (typed ? typed : sent))
      throw failure
    }
    setKind('text')
    // A file chosen while this one was sent belongs to the next message.
    setAttachment((now) => (now === attachment ? null : now))
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
  return { error, busy, run, voice, unsent }
}
