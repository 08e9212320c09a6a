import { useState } from 'react'
import { t } from '../../phrases/phrases.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { CancelButton, Field } from '../../ui/controls.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ActionForm } from '../../ui/form.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { Part } from './part.tsx'

const nothing = async () => {}

type Shown = 'dialog' | 'confirm' | 'secret' | null

/** The dialogs, each opened by a button. */
export function Dialogs() {
  const [shown, setShown] = useState<Shown>(null)
  const close = () => setShown(null)
  return (
    <Part title={t.common.close}>
      <div className="row">
        {(['dialog', 'confirm', 'secret'] as const).map((one) => (
          <button
            key={one}
            type="button"
            className="button"
            data-opens={one}
            onClick={() => setShown(one)}
          >
            {{ dialog: t.keys.create, confirm: t.keys.revoke, secret: t.keys.onceTitle }[one]}
          </button>
        ))}
      </div>
      {shown === 'dialog' && (
        <Dialog title={t.keys.create} onClose={close}>
          <ActionForm
            act={nothing}
            label={t.common.create}
            secondary={<CancelButton onClick={close} />}
          >
            <Field label={t.common.name} defaultValue={t.keys.suggested} />
          </ActionForm>
        </Dialog>
      )}
      {shown === 'confirm' && (
        <Confirm
          danger
          name="Loja"
          title={t.keys.revoke}
          text={t.keys.revokeText('Loja')}
          act={nothing}
          onClose={close}
        />
      )}
      {shown === 'secret' && (
        <SecretOnce
          title={t.keys.onceTitle}
          text={t.keys.onceText}
          secret="svc_test_…"
          confirmLabel={t.keys.kept}
          examples={{ '.env': 'RECADO_KEY=svc_test_…' }}
          onClose={close}
        />
      )}
    </Part>
  )
}
