import { t } from '../../phrases/phrases.ts'
import { Field } from '../../ui/controls.tsx'

/** What colleagues call the user: the field `name` of a form. */
export function NameField(props: { defaultValue?: string; required?: boolean }) {
  return (
    <Field
      label={t.settings.name}
      hint={t.settings.nameText}
      name="name"
      maxLength={80}
      autoComplete="name"
      {...props}
    />
  )
}
