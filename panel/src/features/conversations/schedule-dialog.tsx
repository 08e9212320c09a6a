import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import type { Conversation, Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Area, CancelButton } from '../../ui/controls.tsx'
import { DateTimeField } from '../../ui/date-time-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, rawText } from '../../ui/form.tsx'
import { nameOf } from '../../data/chats.ts'

/** Schedules a text to the contact of a conversation, starting with what is typed in the reply field. */
export function ScheduleDialog(props: {
  instance: Instance
  conversation: Conversation
  text: string
  onClose: () => void
  onDone: () => void
}) {
  const { instance, conversation, text, onClose, onDone } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  const [at, setAt] = useState('')
  return (
    <Dialog title={`${t.teamInbox.schedule}: ${nameOf(conversation)}`} onClose={onClose}>
      <ActionForm
        label={t.schedules.schedule}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          if (at === '') throw new Error(t.picker.needed)
          const text = rawText(form, 'text')
          const message = { type: 'text' as const, conversationId: conversation.id, text }
          const body = { sendAt: at, message }
          await callOnce([mode, instance.id, body], (key) =>
            callApi(mode, 'POST /v1/instances/{id}/scheduled-messages', {
              params: [instance.id],
              body,
              key,
            }),
          )
          await client.invalidateQueries({ queryKey: [mode, 'schedules'] })
          onDone()
        }}
      >
        <Area label={t.messages.text} name="text" rows={4} defaultValue={text} required />
        <DateTimeField label={t.schedules.at} value={at} onChange={setAt} required />
      </ActionForm>
    </Dialog>
  )
}
