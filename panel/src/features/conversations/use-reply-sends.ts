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
  /** The files to send, each as a message; the text is the caption of the first. */
  attachments: Attachment[]
  setAttachments: Dispatch<SetStateAction<Attachment[]>>
  /** Whether the text belongs to what is sent: a message, a note, or the caption of the first file. */
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
  const { kind, setKind, text, setText, attachments, setAttachments, hasText } = draft
  const { mode } = usePanel()
  const client = useQueryClient()
  const team = useColleagues()
  async function save(what: Writes, data: FormData, isFirst = true) {
    if (what === 'note') {
      const note = rawText(data, 'text').trim()
      await callApi(mode, 'POST /v1/instances/{id}/conversations/{conversationId}/notes', {
        params: [instance.id, conversation.id],
        body: { text: note, mentions: mentionsIn(note, team).map(({ id }) => id) },
      })
      return client.invalidateQueries({ queryKey: [mode, 'notes'] })
    }
    const quote = quoted && isFirst ? { quotedWaMessageId: quoted.waMessageId } : {}
    const to = { conversationId: conversation.id, ...quote }
    await sendFrom(mode, instance.id, to, { kind: what, form: data })
    onQuote(null)
    await client.invalidateQueries({ queryKey: [mode, 'messages'] })
    await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
  }
  const { error, busy, run } = useAction(async (data: FormData) => {
    // Cleared at once: text typed while sending belongs to the next message.
    let unsentText = hasText ? text : ''
    const caption = unsentText
    if (hasText) setText('')
    onSend(true)
    try {
      if (attachments.length === 0) await save(kind, data)
      for (const attachment of attachments) {
        const isFirst = attachment === attachments[0]
        data.set('file', attachment.file)
        data.set('caption', isFirst ? caption : '')
        await save(attachment.kind, data, isFirst)
        // What was sent is not sent again after a later file was refused.
        unsentText = ''
        setAttachments((chosen) => chosen.filter((one) => one !== attachment))
      }
    } catch (failure) {
      onSend(false)
      setText((typed) => typed || unsentText)
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
  return { error, busy, run, voice, unsent }
}
