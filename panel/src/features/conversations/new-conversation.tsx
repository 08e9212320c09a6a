import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { Area, CancelButton, Choice, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, trimmedText } from '../../ui/form.tsx'
import { TemplateFields, textOrTemplate } from '../messages/template-fields.tsx'

/** Writes the first message to a number, and opens the conversation with it. */
export function NewConversation(props: {
  /** Those that may send it, of which the first is chosen; at least one. */
  instances: Instance[]
  /** The number, if it is known. */
  to: string
  onClose: () => void
}) {
  const { instances, to, onClose } = props
  const { mode, modo } = usePanel()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [first] = instances
  const [chosen, setChosen] = useState(first?.id ?? '')
  return (
    <Dialog title={t.conversations.start} onClose={onClose}>
      <ActionForm
        label={t.common.send}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const instanceId = trimmedText(form, 'instanceId') || (first?.id ?? '')
          const { conversationId } = await callApi(mode, 'POST /v1/instances/{id}/messages', {
            params: [instanceId],
            body: { to: trimmedText(form, 'to'), ...textOrTemplate(form) },
          })
          await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
          onClose()
          await navigate({
            to: '/$modo/conversas',
            params: { modo },
            search: { conversa: conversationId },
          })
        }}
      >
        {instances.length > 1 && (
          <Choice
            label={t.campaigns.instance}
            name="instanceId"
            value={chosen}
            onChange={(event) => setChosen(event.target.value)}
            options={instances.map(({ id, name }) => [id, name] as const)}
          />
        )}
        <Field
          label={t.instances.number}
          name="to"
          inputMode="tel"
          placeholder="+55 11 98888-7777"
          defaultValue={to}
          required
        />
        {instances.find(({ id }) => id === chosen)?.network === 'cloud_api' ? (
          <TemplateFields instanceId={chosen} />
        ) : (
          <Area label={t.messages.text} name="text" rows={3} required />
        )}
      </ActionForm>
    </Dialog>
  )
}
