import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callApi } from '../../data/api.ts'
import type { Instance } from '../../data/api-types.ts'
import { t } from '../../phrases/phrases.ts'
import { usePanel } from '../../shell/page.tsx'
import { CancelButton, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm, rawText, trimmedText } from '../../ui/form.tsx'
import { splitPhones } from '../../ui/phone-number.ts'
import { PhonesArea } from '../contacts/phones-area.tsx'

/** Creates a group with this number as its owner, or joins one by its invite link, and opens it. */
export function NewGroup(props: { instance: Instance; onOpen: (id: string) => void }) {
  const { instance, onOpen } = props
  const [asked, setAsked] = useState<'create' | 'join' | null>(null)
  const close = () => setAsked(null)
  return (
    <>
      <button type="button" className="button primary" onClick={() => setAsked('create')}>
        {t.groups.create}
      </button>
      <button type="button" className="button" onClick={() => setAsked('join')}>
        {t.groups.join}
      </button>
      {asked === 'create' && <Create instance={instance} onOpen={onOpen} onClose={close} />}
      {asked === 'join' && <Join instance={instance} onOpen={onOpen} onClose={close} />}
    </>
  )
}

type Asking = { instance: Instance; onOpen: (id: string) => void; onClose: () => void }

function Create({ instance, onOpen, onClose }: Asking) {
  const { mode } = usePanel()
  const client = useQueryClient()
  return (
    <Dialog title={t.groups.create} onClose={onClose}>
      <ActionForm
        label={t.groups.create}
        secondary={<CancelButton onClick={onClose} />}
        act={async (form) => {
          const { id } = await callApi(mode, 'POST /v1/instances/{id}/groups', {
            params: [instance.id],
            body: {
              subject: trimmedText(form, 'subject'),
              participants: splitPhones(rawText(form, 'participants')),
            },
          })
          await client.invalidateQueries({ queryKey: [mode, 'groups'] })
          onClose()
          onOpen(id)
        }}
      >
        <Field label={t.common.name} name="subject" maxLength={100} required />
        <PhonesArea label={t.groups.phones} name="participants" rows={4} />
      </ActionForm>
    </Dialog>
  )
}

function Join({ instance, onOpen, onClose }: Asking) {
  const { mode } = usePanel()
  const client = useQueryClient()
  const [isPending, setPending] = useState(false)
  return (
    <Dialog title={t.groups.join} onClose={onClose}>
      {isPending ? (
        <div className="stack-small" role="status">
          <p>{t.groups.joinPending}</p>
          <div className="row">
            <button type="button" className="button primary" onClick={onClose}>
              {t.common.close}
            </button>
          </div>
        </div>
      ) : (
        <ActionForm
          label={t.groups.join}
          secondary={<CancelButton onClick={onClose} />}
          act={async (form) => {
            const { group } = await callApi(mode, 'POST /v1/instances/{id}/groups/join', {
              params: [instance.id],
              body: { invite: trimmedText(form, 'invite') },
            })
            await client.invalidateQueries({ queryKey: [mode, 'groups'] })
            if (!group) return setPending(true)
            onClose()
            onOpen(group.id)
          }}
        >
          <Field
            label={t.groups.invite}
            name="invite"
            placeholder="https://chat.whatsapp.com/…"
            required
          />
        </ActionForm>
      )}
    </Dialog>
  )
}
