import { useState, type ReactNode } from 'react'
import { t } from '../phrases/phrases.ts'
import { CancelButton, Field } from './controls.tsx'
import { Dialog } from './dialog.tsx'
import { ActionForm } from './form.tsx'
import { usePanel } from '../shell/page.tsx'

/**
 * Confirmation dialog, with details below its sentence. Its heading names the `object`. `danger` also shows the mode;
 * `name`, if given, is the object and must be typed to confirm.
 */
export function Confirm(props: {
  title: string
  object?: string
  text: string
  act: () => Promise<unknown>
  onClose: () => void
  danger?: boolean
  /** The action is not about one mode, so none is named. */
  inBothModes?: boolean
  /** Names the mode of an action that is not dangerous but cannot be undone. */
  namesMode?: boolean
  name?: string
  /** The action is itself a cancellation, so the other button must not say the same. */
  cancels?: boolean
  children?: ReactNode
}) {
  const { title, text, act, onClose, danger = false, inBothModes = false, name, children } = props
  const { object = name, namesMode = danger && !inBothModes, cancels = false } = props
  const { mode } = usePanel()
  const [typed, setTyped] = useState('')
  return (
    <Dialog title={object ? `${title}: ${object}` : title} onClose={onClose}>
      <p>{text}</p>
      {children}
      {namesMode && (
        <p className="quiet">{t.common.inMode(mode === 'test' ? t.nav.test : t.nav.production)}</p>
      )}
      <ActionForm
        danger={danger}
        act={act}
        label={title}
        disabled={name !== undefined && typed.trim() !== name.trim()}
        secondary={
          <CancelButton onClick={onClose} {...(cancels ? { label: t.common.back } : {})} />
        }
      >
        {name !== undefined && (
          <Field
            label={t.common.typeName(name)}
            value={typed}
            autoComplete="off"
            onChange={(event) => setTyped(event.target.value)}
          />
        )}
      </ActionForm>
    </Dialog>
  )
}
