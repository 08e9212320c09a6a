import { useQueryClient } from '@tanstack/react-query'
import { callApi } from '../../data/api.ts'
import { callOnce } from '../../data/call-once.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { CancelButton } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { templateFrom, TemplateFields } from './template-fields.tsx'

/** Sends a template to the contact of a conversation, which is possible at any time. */
export function TemplateDialog(props: {
  instanceId: string
  conversationId: string
  onClose: () => void
}) {
  const { instanceId, conversationId, onClose } = props
  const { mode } = usePanel()
  const client = useQueryClient()
  return (
    <Dialog title={t.official.sendTemplate} onClose={onClose}>
      <ActionForm
        label={t.common.send}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const template = templateFrom(form)
          if (!template) return
          const body = { conversationId, template }
          await callOnce([mode, instanceId, body], (key) =>
            callApi(mode, 'POST /v1/instances/{id}/messages/template', {
              params: [instanceId],
              body,
              key,
            }),
          )
          await client.invalidateQueries({ queryKey: [mode, 'messages'] })
          await client.invalidateQueries({ queryKey: [mode, 'conversations'] })
          onClose()
        }}
      >
        <TemplateFields instanceId={instanceId} />
      </ActionForm>
    </Dialog>
  )
}
